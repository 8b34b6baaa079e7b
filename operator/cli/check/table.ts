import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  hooks: {
    type: 'path',
    value: 'DIR',
    for: ['MODULE'],
    help: 'a folder of hooks in place of modules',
  },
  'from-metacontroller': {
    type: 'path',
    value: 'FILE',
    multiple: true,
    for: ['MODULE'],
    help: 'a file or folder of CompositeControllers and DecoratorControllers in place of modules',
  },
  functions: {
    type: 'path',
    value: 'FILE',
    for: ['MODULE'],
    help: 'what the programs and modules in FILE serve needs no Secret, and reads its related',
  },
  crd: {
    type: 'path',
    value: 'FILE',
    multiple: true,
    for: ['MODULE'],
    help: 'file or folder with definitions, for hooks default DIR/crds',
  },
  namespaces: {
    type: 'text',
    value: 'A,B',
    for: ['MODULE'],
    help: 'in place of WATCH_NAMESPACE; "*" for all',
  },
  shards: {
    type: 'number',
    min: 1,
    max: 64,
    for: ['MODULE'],
    help: 'in place of CHANCERY_SHARDS; see docs/guides/operate/sharding.md',
  },
  server: { type: 'text', value: 'URL', for: ['MODULE'], help: 'in place of CHANCERY_API_URL' },
  excess: {
    for: ['MODULE'],
    help: 'also tell what is granted beyond the declarations: wildcards, secrets, the rest',
  },
  'k8s-version': {
    type: 'text',
    value: 'V',
    for: ['bundle'],
    help: 'APIs that Kubernetes V no longer has are errors; default spec.minKubeVersion, which counts also if it is higher',
  },
  'olm-v0': { for: ['bundle'], help: 'leave out what only OLM v1 refuses, such as dependencies' },
  against: {
    type: 'path',
    value: 'OLD',
    multiple: true,
    for: ['crd'],
    help: 'what is installed now: a file, a folder, or - for standard input',
  },
  output: {
    short: 'o',
    type: 'choice',
    choices: ['text', 'json'],
    default: 'text',
    help: 'the format',
  },
} as const;

/** The command line of `chancery check`. */
export const CHECK: CommandTable<typeof OPTIONS, 'MODULE' | 'bundle' | 'crd'> = {
  name: 'check',
  summary: 'find missing rights, faults of an OLM bundle, and unsafe changes of definitions',
  usage: [
    'MODULE... [--namespaces A,B] [--shards N] [-o json] [--excess] [-- ARGUMENT...]',
    '--hooks DIR [--crd FILE]... [--namespaces A,B] [-o json] [--excess]',
    '--from-metacontroller FILE [--functions FILE] [--crd FILE]... [-o json] [--excess]',
    'bundle DIR [--k8s-version V] [--olm-v0] [-o json]',
    'crd NEW... --against OLD [-o json]',
  ],
  kinds: {
    MODULE: 'compares what the API server grants with what controllers declare',
    bundle: 'checks an OLM bundle without a cluster',
    crd: 'compares CustomResourceDefinitions, new with old',
  },
  arguments: [{ name: 'MODULE', isPath: true, repeats: true }],
  rest: 'ARGUMENT...',
  options: OPTIONS,
  description: `Asks through the ambassador what the operator may do, as the operator itself will ask, and compares it
with what the controllers of the modules declare. Tells which rights are missing, which controller needs
them for what, and the rules to add; whether the ambassador's filter refuses what it must refuse; and
whether a ServiceAccount token is visible to this process. Changes nothing: it reads /version, sends two
requests that the filter must refuse, and asks with SelfSubjectRulesReview and SelfSubjectAccessReview.
Where replicas share the work, it also lists their Leases, and tells when there are too many of them.

Run it where the operator runs: kubectl exec DEPLOYMENT -c operator -- node ... chancery check MODULE,
or with any kubectl proxy: kubectl proxy --as=system:serviceaccount:NAMESPACE:NAME. What stands after "--"
goes to the modules: name the arguments that the operator runs with.

\`bundle\` and \`crd\` need the package @chancery/packaging beside chancery, --hooks @chancery/hooks, and
--from-metacontroller @chancery/metacontroller: npm install PACKAGE`,
  environment: [
    'CHANCERY_API_URL',
    'WATCH_NAMESPACE',
    'POD_NAMESPACE',
    'CHANCERY_LEADER_ELECTION',
    'CHANCERY_LEASE_NAME',
    'CHANCERY_LEASE_NAMESPACE',
    'CHANCERY_SHARDS',
    'CHANCERY_SHARD_BY',
    'CHANCERY_INSTALL_CRDS',
    'CHANCERY_INSECURE_ALLOW_TOKEN',
  ],
  notes: `check bundle checks an OLM bundle without a cluster, by the rules of operator-sdk bundle validate and of
OLM v1. It exits with 1 when there are errors, and with 2 when DIR is no bundle. The API server of
@chancery/testing validates the definitions, when that package is installed.

check crd compares CustomResourceDefinitions of any tool, NEW with OLD, which are files, folders or "-":
it tells each change that can break stored objects or their clients, in schemas by the rules with which OLM
refuses an upgrade, and in names, versions, conversion, subresources and selectable fields. It does not look
at printer columns, labels, annotations and certificates, and calls no webhook. Where the storage version
changes, it also prints the StorageVersionMigration to apply after the upgrade; \`chancery migrate\` applies
one and waits. It exits with 1 when there is an unsafe change, with 2 when a file cannot be read, and asks no
cluster.`,
  exitCodes: {
    0: 'every declared right is granted, the filter is closed, and no token is visible',
    1: 'something is missing or open, or it could not be found out',
    2: 'the command line, the environment or a module is wrong',
  },
  examples: `  chancery check operator.ts --namespaces team-a,team-b
  chancery check bundle dist/bundle
  kubectl get crd shops.example.com -o yaml | chancery check crd deploy/crds --against -`,
};
