import type { Command } from '../command.ts';
import { EXIT_WITH_PARENT, table } from '../help.ts';

/** What `chancery proxy --help` prints. */
const PROXY_HELP: string = `Usage: chancery proxy MODULE... [OPTION...] [-- KUBECTL_ARGUMENT...]

Runs kubectl proxy until SIGINT or SIGTERM, with the filter that follows from the declarations of the
controllers that the modules export: an operator behind it on this machine can send the requests that it
could send in its Pod. The credentials are those of your kubeconfig.

It needs kubectl 1.30 or newer: the one on the PATH, or the one that KUBECTL names.

Options:
${table([
  ['-p, --port PORT', 'default 8001, where an operator looks; 0 for any free one'],
  ['-n, --namespace NAME', 'where the operator would run; default "default"'],
  ['--watch own|all|A,B', 'namespaces that it watches; default own, which is NAME'],
  ['--context NAME', 'context of the kubeconfig; default its current one'],
  ['--kubeconfig FILE', 'default as for kubectl'],
  ['--leader-election', 'it takes a Lease; the default when a controller needs one'],
  ['--no-leader-election', 'it takes none'],
  ['--install-crds', 'it installs its definitions itself: CHANCERY_INSTALL_CRDS'],
  EXIT_WITH_PARENT,
])}

What stands after "--" is given to kubectl as it is, after our own arguments. Where a module declares
arguments of its own, the first "--" begins those, and a second one begins kubectl's.

Exit codes: 0 asked to stop, 2 the command line, a module or kubectl is wrong, else that of kubectl.

Examples:

  chancery proxy src/operator.ts --namespace demo
  chancery proxy src/operator.ts -n demo --context kind-dev --port 8002 -- --v=4
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const PROXY_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'proxy',
  summary: "run kubectl proxy with an operator's filter",
  help: PROXY_HELP,
  isLasting: true,
};
