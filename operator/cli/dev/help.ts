import type { Command } from '../command.ts';
import { EXIT_WITH_PARENT, table } from '../help.ts';

/** What `chancery dev --help` prints. */
const DEV_HELP: string = `Usage: chancery dev [MODULE...] [--samples PATH] [--context NAME] [OPTION...] [-- ARGUMENT...]

Runs an operator while you write it: an embedded API server, kubectl proxy with the generated filter in
front of it, the definitions and the roles that follow from the modules, and the operator behind all
that. When a file that the operator has imported is saved, the operator starts again with the new code.
Without MODULE it takes src/operator.ts or operator.ts.

The operator has the generated roles and no more, so that a right that is missing shows here. Without a
kubectl (1.30 or newer, on the PATH or named by KUBECTL) a stand-in filters like kubectl proxy. Where the
project has TypeScript and a tsconfig.json, type errors are shown beside the log; they stop nothing.

Options:
${table([
  ['--samples PATH', 'apply a manifest, or those of a folder, once it can be; may be repeated'],
  ['-n, --namespace NAME', 'the one to watch; default that of the samples, else "default"'],
  ['-A, --all-namespaces', 'watch all namespaces'],
  ['-p, --port PORT', 'of the embedded API server; default any free one'],
  ['--inspect[=PORT]', 'let a debugger attach to the operator; default port 9229'],
  ['--context NAME', 'use the cluster of a context of the kubeconfig, not an embedded API server'],
  ['--kubeconfig FILE', 'with --context: default as for kubectl'],
  ['-y, --yes', 'with --context: do not ask before writing to the cluster'],
  EXIT_WITH_PARENT,
])}

With --context the definitions and the samples are written to the cluster, and the operator works there
with your own rights: no roles are written. You are asked for the name of the context first. Without a
terminal to ask on, and without --yes, nothing starts.

What stands after "--" goes to the modules. The variables of "chancery run --help" set up the operator. These have other defaults here:
CHANCERY_LOG_FORMAT=pretty, NODE_ENV=development, and any free port of 127.0.0.1 for the status page and
for the metrics. Everything is printed to standard error, but what the operator itself prints to standard
output. The first Ctrl-C stops in order, the second at once.

Exit codes: 0 asked to stop, 1 failed, 2 the command line, a file that it names or kubectl is wrong, or
the context was not confirmed. A module that does not load ends nothing: the next save is tried.

Examples:

  chancery dev
  chancery dev src/operator.ts --samples samples/ --inspect
  chancery dev --context kind-dev --samples samples/website.yaml
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const DEV_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'dev',
  summary: 'run an operator while you write it, and start it again on every save',
  help: DEV_HELP,
  isLasting: true,
};
