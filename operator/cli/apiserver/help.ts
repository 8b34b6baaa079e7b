import type { Command } from '../command.ts';
import { EXIT_WITH_PARENT, table } from '../help.ts';

/** What `chancery apiserver --help` prints. */
const APISERVER_HELP: string = `Usage: chancery apiserver [OPTION...]

Serves a throw-away Kubernetes API in this process until SIGINT or SIGTERM: for trying an operator, a
manifest or a kubectl command without a cluster. Nothing is kept, and without --tls nobody is asked who
they are.
Deployments and other workloads make Pods, which become Ready on a simulated node.
It needs the package @chancery/testing beside chancery: npm install --save-dev @chancery/testing

The URL goes to standard output when it serves, everything else to standard error.

Options:
${table([
  ['--port PORT', 'default 8080, where a kubectl without configuration looks; 0 for any free one'],
  ['--address ADDRESS', 'IP address to listen on; default 127.0.0.1'],
  ['--kubeconfig-out FILE', 'write a kubeconfig for it, readable by you alone'],
  [
    '--tls',
    'speak HTTPS with a certificate of its own, and know callers by a token: both are in FILE',
  ],
  ['--force', 'overwrite FILE even if this command did not write it'],
  [
    '-f, --filename PATH',
    'apply a manifest, or those of a folder, "-" for standard input; may be repeated',
  ],
  ['-n, --namespace NAME', 'create it, for the objects of -f that name none; default "default"'],
  [
    '--kubernetes-version 1.24|1.30|1.33|1.36|1.38',
    'answer as this version where they differ; default 1.36',
  ],
  ['--no-workloads', 'the API alone: Deployments make no Pods, owners are not garbage-collected'],
  EXIT_WITH_PARENT,
])}

Exit codes: 0 asked to stop, 1 a manifest was refused or the port is taken, 2 the command line, or a
file that it names, is wrong.

Examples:

  chancery apiserver
  kubectl --server=http://127.0.0.1:8080 get namespaces

  chancery apiserver --port 0 --kubeconfig-out cluster.yaml -n demo -f manifests/ &
  kubectl --kubeconfig=cluster.yaml get all
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const APISERVER_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'apiserver',
  summary: 'serve a throw-away Kubernetes API, to try things without a cluster',
  help: APISERVER_HELP,
  isLasting: true,
};
