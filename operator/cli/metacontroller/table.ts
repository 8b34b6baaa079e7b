import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  functions: {
    type: 'path',
    value: 'FILE',
    help: 'programs and modules that serve hooks, in place of webhooks',
  },
  workers: {
    type: 'number',
    min: 1,
    max: 999,
    default: '5',
    help: 'objects of a controller that are reconciled at a time',
  },
  'cache-flush-interval': {
    type: 'duration',
    min: 0,
    max: 86_400_000,
    default: '30m',
    help: 'every object is synced again after it; 0 for never',
  },
  'discovery-interval': {
    type: 'duration',
    min: 1_000,
    max: 86_400_000,
    default: '30s',
    help: 'how often a controller that cannot start tries again',
  },
  'apply-strategy': {
    type: 'choice',
    value: 'NAME',
    choices: ['dynamic-apply', 'server-side-apply'],
    default: 'dynamic-apply',
    help: 'dynamic-apply or server-side-apply',
  },
  'apply-strategy-ssa-field-manager': {
    type: 'text',
    value: 'NAME',
    default: 'metacontroller',
    help: 'for server-side-apply',
  },
  'target-label-selector': {
    type: 'text',
    value: 'SELECTOR',
    help: 'run only the controllers with these labels',
  },
  'compat-empty-children': { help: 'an answer without children deletes all of them' },
  extensions: { help: 'answers may have events, which Metacontroller does not know' },
  'no-managed-fields': { help: 'webhooks get objects without metadata.managedFields' },
  'leader-election': { help: 'on in any case when POD_NAMESPACE is set' },
  'no-leader-election': { help: 'every replica runs the controllers' },
  check: { help: 'read the file of functions, print what it names, and do not run' },
  'dry-run': { help: 'run everything once, and print what would be written, as diffs' },
  follow: { help: 'with --dry-run: go on until SIGTERM or SIGINT' },
  'insecure-allow-token': {
    help: 'start although a ServiceAccount token is visible to this process',
  },
} as const;

const CREDENTIALS =
  'the process has no credentials: they belong to the kubectl proxy beside it, see CHANCERY_API_URL';
const RATE = 'requests are limited by what the API server answers; leave it out';
const EVENTS = 'Events are limited for each object, as kubectl expects it; leave it out';
const LOG = 'set CHANCERY_LOG_LEVEL and CHANCERY_LOG_FORMAT';

/** Flags of Metacontroller that do not exist here, each with what to use instead. */
const REPLACED: Readonly<Record<string, string>> = {
  kubeconfig: CREDENTIALS,
  'client-go-qps': RATE,
  'client-go-burst': RATE,
  'events-qps': EVENTS,
  'events-burst': EVENTS,
  'metrics-address': 'set CHANCERY_METRICS_PORT and CHANCERY_METRICS_HOST',
  'health-probe-bind-address': 'set CHANCERY_HEALTH_PORT and CHANCERY_HEALTH_HOST',
  'pprof-address': 'start node with --inspect or --cpu-prof',
  'leader-election-id': 'set CHANCERY_LEASE_NAME',
  'leader-election-namespace': 'set CHANCERY_LEASE_NAMESPACE',
  'leader-election-resource-lock': 'the lock is a Lease; leave it out',
  'zap-devel': LOG,
  'zap-encoder': LOG,
  'zap-log-level': LOG,
  'zap-stacktrace-level': LOG,
  'zap-time-encoding': LOG,
};

/** The command line of `chancery metacontroller`. */
export const METACONTROLLER: CommandTable<typeof OPTIONS> = {
  name: 'metacontroller',
  summary: 'run CompositeControllers and DecoratorControllers',
  usage: ['[--check | --dry-run [--follow]] [OPTION...]'],
  options: OPTIONS,
  replaced: REPLACED,
  isLasting: true,
  description: `Runs the CompositeControllers and DecoratorControllers of the cluster, by the contract of Metacontroller: a hook
gets an object and its children, and answers which children it shall have. Hooks are webhooks, as the objects
say, or programs and modules that a file names. Controllers are started and stopped as their objects come, change
and go.

It needs the package @chancery/metacontroller beside chancery: npm install @chancery/metacontroller`,
  environment: 'all',
  notes: `Other flags of Metacontroller are answered with what replaces them. The rights of the process follow from the
controllers: chancery generate manifests --from-metacontroller FILE writes them.

All namespaces are watched unless WATCH_NAMESPACE says otherwise. With POD_NAMESPACE, replicas elect a leader by the
Lease metacontroller-leader; the others list and watch, and take over at once.`,
  exitCodes: {
    0: 'asked to stop, and stopped in order',
    1: 'failed, or asked to stop twice',
    2: 'a function cannot be used, or the command line or the environment is wrong',
    3: 'leadership lost, or refused to start where it is not safe',
  },
};
