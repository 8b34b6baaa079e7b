import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  samples: {
    type: 'path',
    multiple: true,
    help: 'apply a manifest, or those of a folder, once it can be',
  },
  namespace: {
    short: 'n',
    type: 'namespace',
    help: 'the one to watch; default that of the samples, else "default"',
  },
  'all-namespaces': { short: 'A', help: 'watch all namespaces' },
  port: { short: 'p', type: 'port', help: 'of the embedded API server; default any free one' },
  'kubeconfig-out': {
    type: 'path',
    value: 'FILE',
    help: 'write a kubeconfig for the embedded API server, so that kubectl finds it',
  },
  inspect: { type: 'port', implied: '9229', help: 'let a debugger attach to the operator' },
  context: {
    type: 'text',
    value: 'NAME',
    help: 'use the cluster of a context of the kubeconfig, not an embedded API server',
  },
  kubeconfig: { type: 'path', value: 'FILE', help: 'with --context: default as for kubectl' },
  yes: { short: 'y', help: 'with --context: do not ask before writing to the cluster' },
  'as-operator': { hidden: true, help: 'this process is the operator that chancery dev started' },
} as const;

/** The command line of `chancery dev`. */
export const DEV: CommandTable<typeof OPTIONS> = {
  name: 'dev',
  summary: 'run an operator while you write it, and start it again on every save',
  usage: ['[MODULE...] [--samples PATH] [--context NAME] [OPTION...] [-- ARGUMENT...]'],
  arguments: [{ name: 'MODULE', isPath: true, repeats: true }],
  rest: 'ARGUMENT...',
  options: OPTIONS,
  isLasting: true,
  description: `Runs an operator while you write it: an embedded API server, kubectl proxy with the generated filter in
front of it, the definitions and the roles that follow from the modules, and the operator behind all
that. When a file that the operator has imported is saved, the operator starts again with the new code.
Without MODULE it takes src/operator.ts or operator.ts.

The operator has the generated roles and no more, so that a right that is missing shows here. Without a
kubectl (1.30 or newer, on the PATH or named by KUBECTL) a stand-in filters like kubectl proxy. Where the
project has TypeScript and a tsconfig.json, type errors are shown beside the log; they stop nothing.`,
  notes: `With --context the definitions and the samples are written to the cluster, and the operator works there
with your own rights: no roles are written. You are asked for the name of the context first. Without a
terminal to ask on, and without --yes, nothing starts.

What stands after "--" goes to the modules. The variables of "chancery run --help" set up the operator. These have
other defaults here: CHANCERY_LOG_FORMAT=pretty, NODE_ENV=development, and any free port of 127.0.0.1 for the status
page and for the metrics. Everything is printed to standard error, but what the operator itself prints to standard
output. The first Ctrl-C stops in order, the second at once.`,
  exitCodes: {
    0: 'asked to stop',
    1: 'failed',
    2: 'the command line, a file that it names or kubectl is wrong, or the context was not confirmed. A module that does not load ends nothing: the next save is tried',
  },
  examples: `  chancery dev
  chancery dev src/operator.ts --samples samples/ --inspect
  chancery dev --kubeconfig-out dev.kubeconfig
  chancery dev --context kind-dev --samples samples/website.yaml`,
};
