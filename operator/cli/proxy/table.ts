import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  port: {
    short: 'p',
    type: 'port',
    default: '8001',
    help: 'where an operator looks; 0 for any free one',
  },
  namespace: {
    short: 'n',
    type: 'namespace',
    default: 'default',
    help: 'where the operator would run',
  },
  watch: { type: 'namespaces', help: 'namespaces that it watches; default own, which is NAME' },
  context: {
    type: 'text',
    value: 'NAME',
    help: 'context of the kubeconfig; default its current one',
  },
  kubeconfig: { type: 'path', value: 'FILE', help: 'default as for kubectl' },
  'leader-election': { help: 'it takes a Lease; the default when a controller needs one' },
  'no-leader-election': { help: 'it takes none' },
  'install-crds': { help: 'it installs its definitions itself: CHANCERY_INSTALL_CRDS' },
} as const;

/** The command line of `chancery proxy`. */
export const PROXY: CommandTable<typeof OPTIONS> = {
  name: 'proxy',
  summary: "run kubectl proxy with an operator's filter",
  usage: ['MODULE... [OPTION...] [-- KUBECTL_ARGUMENT...]'],
  arguments: [{ name: 'MODULE', isPath: true, repeats: true }],
  rest: 'KUBECTL_ARGUMENT...',
  options: OPTIONS,
  isLasting: true,
  description: `Runs kubectl proxy until SIGINT or SIGTERM, with the filter that follows from the declarations of the
controllers that the modules export: an operator behind it on this machine can send the requests that it
could send in its Pod. The credentials are those of your kubeconfig.

It needs kubectl 1.30 or newer: the one on the PATH, or the one that KUBECTL names.`,
  notes: `What stands after "--" is given to kubectl as it is, after our own arguments. Where a module declares
arguments of its own, the first "--" begins those, and a second one begins kubectl's.`,
  exitCodes: {
    0: 'asked to stop',
    2: 'the command line, a module or kubectl is wrong; any other code is that of kubectl',
  },
  examples: `  chancery proxy src/operator.ts --namespace demo
  chancery proxy src/operator.ts -n demo --context kind-dev --port 8002 -- --v=4`,
};
