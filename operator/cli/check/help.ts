import type { Command } from '../command.ts';
import { environmentHelp, table } from '../help.ts';

/** What `chancery check --help` prints. */
const CHECK_HELP: string = `Usage: chancery check MODULE... [--namespaces A,B] [-o json] [--excess] [-- ARGUMENT...]
       chancery check --hooks DIR [--crd FILE]... [--namespaces A,B] [-o json] [--excess]
       chancery check --from-metacontroller FILE [--functions FILE] [--crd FILE]... [-o json] [--excess]
       chancery check bundle DIR [--k8s-version V] [--olm-v0] [-o json]
       chancery check crd NEW... --against OLD [-o json]

Asks through the ambassador what the operator may do, as the operator itself will ask, and compares it
with what the controllers of the modules declare. Tells which rights are missing, which controller needs
them for what, and the rules to add; whether the ambassador's filter refuses what it must refuse; and
whether a ServiceAccount token is visible to this process. Changes nothing: it reads /version, sends two
requests that the filter must refuse, and asks with SelfSubjectRulesReview and SelfSubjectAccessReview.

Run it where the operator runs: kubectl exec DEPLOYMENT -c operator -- node ... chancery check MODULE,
or with any kubectl proxy: kubectl proxy --as=system:serviceaccount:NAMESPACE:NAME. What stands after "--"
goes to the modules: name the arguments that the operator runs with.

Options:
${table([
  ['--hooks DIR', 'a folder of hooks in place of modules'],
  [
    '--from-metacontroller FILE',
    'a file or folder of CompositeControllers and DecoratorControllers in',
  ],
  ['', 'place of modules; repeatable'],
  [
    '--functions FILE',
    'what the programs and modules in FILE serve needs no Secret, and reads its related',
  ],
  ['--crd FILE', 'file or folder with definitions, for hooks default DIR/crds; repeatable'],
  ['--namespaces A,B', 'in place of WATCH_NAMESPACE; "*" for all'],
  ['--server URL', 'in place of CHANCERY_API_URL'],
  ['--excess', 'also tell what is granted beyond the declarations: wildcards, secrets, the rest'],
  ['--k8s-version V', 'bundle: APIs that Kubernetes V no longer has are errors; default'],
  ['', 'spec.minKubeVersion'],
  ['--olm-v0', 'bundle: leave out what only OLM v1 refuses, such as dependencies'],
  [
    '--against OLD',
    'crd: what is installed now: a file, a folder, or - for standard input; repeatable',
  ],
  ['-o, --output text|json', 'default text'],
])}

${environmentHelp([
  'CHANCERY_API_URL',
  'WATCH_NAMESPACE',
  'POD_NAMESPACE',
  'CHANCERY_LEADER_ELECTION',
  'CHANCERY_LEASE_NAME',
  'CHANCERY_LEASE_NAMESPACE',
  'CHANCERY_INSTALL_CRDS',
  'CHANCERY_INSECURE_ALLOW_TOKEN',
])}

check bundle checks an OLM bundle without a cluster, by the rules of operator-sdk bundle validate and of
OLM v1. It exits with 1 when there are errors, and with 2 when DIR is no bundle. The API server of
@chancery/testing validates the definitions, when that package is installed.

check crd compares CustomResourceDefinitions of any tool, NEW with OLD, which are files, folders or "-":
it tells each change that can break stored objects or their clients, in schemas by the rules with which OLM
refuses an upgrade, and in names, versions, conversion, subresources and selectable fields. It does not look
at printer columns, labels, annotations and certificates, and calls no webhook. It exits with 1 when there is
such a change, with 2 when a file cannot be read, and asks no cluster.

Both need the package @chancery/packaging beside chancery, --hooks @chancery/hooks, and --from-metacontroller
@chancery/metacontroller: npm install PACKAGE

Exit codes:
${table([
  ['0', 'every declared right is there, the filter is closed, and no token is visible'],
  ['1', 'something is missing or open, or it could not be found out'],
  ['2', 'the command line, the environment or a module is wrong'],
])}

Example:

  chancery check operator.ts --namespaces team-a,team-b
  chancery check bundle dist/bundle
  kubectl get crd shops.example.com -o yaml | chancery check crd deploy/crds --against -
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const CHECK_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'check',
  summary: 'find missing rights, faults of an OLM bundle, and unsafe changes of definitions',
  help: CHECK_HELP,
};
