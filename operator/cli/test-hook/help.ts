import type { Command } from '../command.ts';
import { table } from '../help.ts';

/** What `chancery test-hook --help` prints. */
const TEST_HOOK_HELP: string = `Usage: chancery test-hook FILE --context SAMPLE [OPTION...]

Starts one hook as chancery hooks would, without a cluster, and tells what it left: its patches and metrics, each
checked, and the rights that it needs and its rights file does not have. Nothing is applied.

SAMPLE is a JSON or YAML file with the contexts, "-" for standard input: a list, one context, or one Kubernetes object,
which becomes the context of an Added event. Fields may be left out: the name of the binding if the hook has one that
fits, type, watchEvent, empty lists and snapshots. A missing filterResult is computed by the filter of the binding.

Options:
${table([
  ['--context FILE', 'the sample'],
  ['--record-rights', 'add missing rights to HOOK.rights.yaml'],
  [
    '--patches-to FILE',
    'write the patches there, one JSON document a line; "-" for standard output',
  ],
  ['--strict-patches', 'refuse fields that have no effect'],
  ['--hook-timeout DURATION', 'limit of the run, such as 90s or 5m; 0 for none; default 60s'],
  ['--hook-env NAME', 'a variable that the hook also gets; repeatable'],
  ['--crd FILE', 'file or folder of CustomResourceDefinitions; repeatable'],
])}

The hook gets the variables of chancery hooks, and no credentials. What it writes appears on standard error.

Exit codes:
${table([
  ['0', 'the hook succeeded, and everything that it left would be applied'],
  ['1', 'the hook failed, or something that it left would be refused'],
  ['2', 'the command line, the sample or the configuration of the hook is wrong'],
])}

Example:

  chancery test-hook hooks/copy.py --context copy.sample.json --record-rights
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const TEST_HOOK_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'test-hook',
  summary: 'start one hook with a sample, and check what it leaves',
  help: TEST_HOOK_HELP,
};
