import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  port: {
    type: 'port',
    default: '8080',
    help: 'where a kubectl without configuration looks; 0 for any free one',
  },
  address: { type: 'address', default: '127.0.0.1', help: 'IP address to listen on' },
  'kubeconfig-out': {
    type: 'path',
    value: 'FILE',
    help: 'write a kubeconfig for it, readable by you alone',
  },
  'ready-file': {
    type: 'path',
    value: 'FILE',
    help: 'write its URL to a file when it serves, in one step; removed when it is asked to stop',
  },
  tls: {
    help: 'speak HTTPS with a certificate of its own, and know callers by a token: both are in FILE',
  },
  force: { help: 'overwrite FILE even if this command did not write it' },
  install: {
    type: 'path',
    value: 'DIR',
    multiple: true,
    help: 'apply the manifests of a folder before those of -f, definitions first, which are established then',
  },
  filename: {
    short: 'f',
    type: 'path',
    multiple: true,
    help: 'apply a manifest, or those of a folder, "-" for standard input',
  },
  namespace: {
    short: 'n',
    type: 'namespace',
    help: 'create it, for the objects of -f that name none; default "default"',
  },
  'kubernetes-version': {
    type: 'choice',
    value: 'VERSION',
    choices: ['1.24', '1.30', '1.33', '1.35', '1.36', '1.37', '1.38'],
    help: 'answer as 1.24, 1.30, 1.33, 1.35, 1.36, 1.37 or 1.38 where they differ; default 1.36',
  },
  'feature-gates': {
    type: 'list',
    value: 'NAME=BOOL,…',
    choices: [
      'ShardedListAndWatch=true',
      'ShardedListAndWatch=false',
      'ConsistentListFromCacheSkipTimeoutFallback=true',
      'ConsistentListFromCacheSkipTimeoutFallback=false',
      'ManagedFieldsOptOut=true',
      'ManagedFieldsOptOut=false',
    ],
    help: 'as of kube-apiserver, all off by default: ShardedListAndWatch=true answers shardSelector',
  },
  'webhook-service': {
    type: 'pair',
    value: 'NAMESPACE/NAME=URL',
    multiple: true,
    help: 'where the webhooks behind a service are, such as shop/hooks=http://127.0.0.1:9440',
  },
  snapshot: {
    type: 'path',
    value: 'FILE',
    help: 'begin with the objects of a file, if it exists, and save them to it at the end; at most 256 MiB',
  },
  faults: {
    type: 'path',
    value: 'FILE',
    help: 'YAML with rules for failures, delays and cut connections',
  },
  'admin-port': {
    type: 'port',
    help: 'where tests move faults, clock, watches and snapshots by HTTP, on 127.0.0.1; 0 for any free one',
  },
  workloads: { hidden: true, help: 'the default' },
  'no-workloads': {
    help: 'the API alone: Deployments make no Pods, owners are not garbage-collected',
  },
} as const;

/** The command line of `chancery apiserver`. */
export const APISERVER: CommandTable<typeof OPTIONS> = {
  name: 'apiserver',
  summary: 'serve a throw-away Kubernetes API, to try things without a cluster',
  options: OPTIONS,
  isLasting: true,
  description: `Serves a throw-away Kubernetes API in this process until SIGINT or SIGTERM: for trying an operator, a
manifest or a kubectl command without a cluster. Without --snapshot nothing is kept, and without --tls nobody is
asked who they are.
Deployments and other workloads make Pods, which become Ready on a simulated node.
It needs the package @chancery/testing beside chancery: npm install --save-dev @chancery/testing
Without a project, npx @chancery/testing is the same command.

The URL goes to standard output when it serves, everything else to standard error.`,
  notes: `With --admin-port, GET /openapi.json of that port describes what it does. Its URL is the second line of --ready-file.

A snapshot has the Secrets of the server, and no history: after a restore, a watch from an older resourceVersion is answered with
410 Gone.`,
  exitCodes: {
    0: 'asked to stop',
    1: 'a manifest was refused, a port is taken, or the snapshot cannot be saved',
    2: 'the command line, or a file that it names, is wrong',
  },
  examples: `  chancery apiserver
  kubectl --server=http://127.0.0.1:8080 get namespaces

  chancery apiserver --port 0 --kubeconfig-out cluster.yaml -n demo -f manifests/ &
  kubectl --kubeconfig=cluster.yaml get all`,
};
