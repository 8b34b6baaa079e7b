import type { Command } from '../command.ts';
import { EXIT_WITH_PARENT, environmentHelp, table } from '../help.ts';

/** What `chancery hooks --help` prints. */
const HOOKS_HELP: string = `Usage: chancery hooks DIR [--check | --dry-run [--follow]] [OPTION...]

Runs the executables of a folder as an operator, by the contract of shell-operator: each says with --config
what it watches, is started for each change, and leaves files with patches and metrics. Hooks may be written in
any language. They hold no credentials, and their patches need rights that a file HOOK.rights.yaml declares.

It needs the package @chancery/hooks beside chancery: npm install @chancery/hooks

DIR may be a folder that is mounted from a ConfigMap. While hooks run, its changes are noticed: a script counts
from its next start, and when hooks come, go or answer --config differently, the process ends with exit
code 0, so that its container starts again.

Options:
${table([
  ['--max-processes N', 'hooks that run at a time; default 4'],
  ['--hook-timeout DURATION', 'limit of a run, such as 90s or 5m; 0 for none; default 60s'],
  ['--hook-env NAME', 'a variable that hooks also get; repeatable'],
  ['--max-attempts N', 'attempts after which a run is given up and recorded; default: never'],
  ['--strict-patches', 'refuse patches with fields that have no effect'],
  ['--skip-broken-hooks', 'start without the hooks that cannot be used'],
  ['--no-leader-election', 'every replica runs the hooks'],
  ['--crd FILE', 'file or folder of CustomResourceDefinitions; default DIR/crds; repeatable'],
  ['--hooks-dir DIR', 'the folder, in place of the argument'],
  [
    '--tmp-dir PATH',
    'folder for the files of runs; default chancery-hooks in the temporary folder',
  ],
  ['--listen-address ADDRESS', 'address of /metrics; default all'],
  ['--listen-port PORT', 'port of /metrics and /metrics/hooks; default 8080, 0 for none'],
  ['--metrics-prefix TEXT', 'what metrics of the runner begin with; default shell_operator_'],
  ['--prometheus-metrics-prefix TEXT', 'the same, by its name in shell-operator'],
  ['--log-level LEVEL', 'debug, info, warn or error'],
  ['--log-type TYPE', 'json, text or color'],
  ['--log-proxy-hook-json', 'fields of JSON lines of hooks become fields of the log'],
  ['--check', 'print what the hooks declare, one line of JSON each, and do not run'],
  ['--dry-run', 'run everything once, and print what would be written, as diffs'],
  ['--follow', 'with --dry-run: go on until SIGTERM or SIGINT'],
  ['--insecure-allow-token', 'start although a ServiceAccount token is visible to this process'],
  EXIT_WITH_PARENT,
])}

The variables of shell-operator count as well, and an option wins over them: SHELL_OPERATOR_HOOKS_DIR,
SHELL_OPERATOR_TMP_DIR, LOG_LEVEL and so on. What has no meaning here is answered with its replacement.

All namespaces are watched unless WATCH_NAMESPACE says otherwise. With POD_NAMESPACE, replicas elect a leader by the
Lease hooks-leader; the others list and watch, and take over at once.

${environmentHelp()}

Exit codes:
${table([
  ['0', 'asked to stop, or the folder has changed, and stopped in order'],
  ['1', 'failed, or asked to stop twice'],
  ['2', 'a hook cannot be used, or the command line or the environment is wrong'],
  ['3', 'leadership lost, or refused to start where it is not safe'],
])}
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const HOOKS_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'hooks',
  summary: 'run a folder of executables as an operator',
  help: HOOKS_HELP,
  isLasting: true,
};
