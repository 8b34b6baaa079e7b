/** The arguments and environment variables of the operator: tables for `withArguments` and `--help`. */

/** One argument as the table declares it. */
export interface ArgumentDeclaration {
  readonly type: 'boolean' | 'string' | 'list';
  /** The word for the value in `--help`. */
  readonly value?: string;
  readonly default?: string;
  readonly help: string;
}

/**
 * Every flag of the original, and after them our own. A string flag such as `--reload-on-create` is on for
 * exactly `true`, as in the original.
 */
export const ARGUMENTS = {
  'auto-reload-all': {
    type: 'boolean',
    help: 'reload every workload for the resources that it references, unless its annotations say otherwise',
  },
  'reload-strategy': {
    type: 'string',
    value: 'STRATEGY',
    default: 'env-vars',
    help: 'what a restart changes in the Pod template: env-vars or annotations',
  },
  'reload-on-create': {
    type: 'string',
    value: 'true',
    default: 'false',
    help: 'exactly true: a resource that is created counts as changed',
  },
  'reload-on-delete': {
    type: 'string',
    value: 'true',
    default: 'false',
    help: 'exactly true: a resource that is deleted counts as changed',
  },
  'sync-after-restart': {
    type: 'boolean',
    help: 'with --reload-on-create, resources that the start finds count as created',
  },
  'resources-to-ignore': {
    type: 'list',
    value: 'TYPE',
    help: 'configmaps or secrets: do not watch them',
  },
  'ignored-workload-types': {
    type: 'list',
    value: 'TYPES',
    help: 'jobs, cronjobs or both: never restart them',
  },
  namespaces: {
    type: 'list',
    value: 'NAMES',
    help: 'watch these namespaces only; default KUBERNETES_NAMESPACE, or all',
  },
  'namespaces-to-ignore': {
    type: 'list',
    value: 'NAMES',
    help: 'of all namespaces, leave these out',
  },
  'namespace-selector': {
    type: 'list',
    value: 'SELECTOR',
    help: 'of all namespaces, watch those with these labels',
  },
  'resource-label-selector': {
    type: 'list',
    value: 'SELECTOR',
    help: 'watch ConfigMaps, Secrets and SecretProviderClassPodStatuses with these labels only',
  },
  'is-Argo-Rollouts': {
    type: 'string',
    value: 'true',
    default: 'false',
    help: 'exactly true: restart Argo Rollouts, too',
  },
  'is-argo-rollouts': {
    type: 'string',
    value: 'true',
    default: 'false',
    help: 'the same as --is-Argo-Rollouts',
  },
  'enable-csi-integration': {
    type: 'boolean',
    help: 'watch what the Secrets Store CSI driver mounts',
  },
  'webhook-url': {
    type: 'string',
    value: 'URL',
    help: 'send changes to this URL instead of restarting anything',
  },
  'enable-ha': {
    type: 'boolean',
    help: 'elect a leader by the Lease stakater-reloader-lock; needs POD_NAME and POD_NAMESPACE',
  },
  'auto-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of reloader.stakater.com/auto',
  },
  'configmap-auto-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of configmap.reloader.stakater.com/auto',
  },
  'secret-auto-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of secret.reloader.stakater.com/auto',
  },
  'configmap-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of configmap.reloader.stakater.com/reload',
  },
  'secret-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of secret.reloader.stakater.com/reload',
  },
  'auto-search-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of reloader.stakater.com/search',
  },
  'search-match-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of reloader.stakater.com/match',
  },
  'ignore-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of reloader.stakater.com/ignore',
  },
  'pause-deployment-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of deployment.reloader.stakater.com/pause-period',
  },
  'pause-deployment-time-annotation': {
    type: 'string',
    value: 'KEY',
    help: 'key instead of deployment.reloader.stakater.com/paused-at',
  },
  'log-format': {
    type: 'string',
    value: 'FORMAT',
    help: 'json; default CHANCERY_LOG_FORMAT',
  },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    help: 'trace, debug, info, warning, error, fatal or panic; default CHANCERY_LOG_LEVEL, or info',
  },
  'enable-pprof': { type: 'boolean', help: 'accepted without effect: there is no Go profile' },
  'pprof-addr': { type: 'string', value: 'ADDRESS', help: 'accepted without effect' },
  debounce: {
    type: 'string',
    value: 'DURATION',
    default: '2s',
    help: 'wait so long after the last change of a workload, from 0s for not at all to 30s',
  },
  'rollouts-per-second': {
    type: 'string',
    value: 'NUMBER',
    default: '0',
    help: 'begin at most so many restarts in a second, from 0.001 to 1000; 0 for no limit',
  },
  'rollout-burst': {
    type: 'string',
    value: 'NUMBER',
    help: 'with --rollouts-per-second, begin so many at once, from 1 to 10000; default the rate, rounded up',
  },
  'wait-for-rollout': {
    type: 'boolean',
    help: 'restart a workload only after its last rollout has ended',
  },
  'order-label': {
    type: 'string',
    value: 'LABEL',
    help: 'restart the workloads of one resource by the whole number in this label, lowest first',
  },
  'enable-restart-windows': {
    type: 'boolean',
    help: 'restart workloads in the windows of their restart-window annotation only',
  },
  'cronjob-mode': {
    type: 'string',
    value: 'MODE',
    default: 'job',
    help: 'for CronJobs: job starts a Job, patch changes the template of the next one, none does nothing',
  },
  'alert-timeout': {
    type: 'string',
    value: 'DURATION',
    default: '10s',
    help: 'give up an alert or webhook call after this time, from 100ms to 5m',
  },
  'cloud-events': {
    type: 'boolean',
    help: 'send CloudEvents to --webhook-url instead of the body of the original',
  },
  namespace: {
    type: 'string',
    value: 'NAME',
    help: 'with explain: the namespace of the workload; default the first of --namespaces, or default',
  },
} as const;

/** Name of an argument, without the dashes. */
export type ArgumentName = keyof typeof ARGUMENTS;

/** What was given on the command line, or the default of the table. An argument may be left out. */
export type ArgumentValues = {
  readonly [Name in ArgumentName]?: ValueOf<(typeof ARGUMENTS)[Name]['type']> | undefined;
};

type ValueOf<Type extends ArgumentDeclaration['type']> = Type extends 'boolean'
  ? boolean
  : Type extends 'list'
    ? readonly string[]
    : string;

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables of the original, with their meaning, for `--help`. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['KUBERNETES_NAMESPACE', 'watch this namespace only; --namespaces outranks it'],
  ['RELOADER_NAMESPACE', 'namespace of the ConfigMap reloader-meta-info; unset: none is written'],
  ['RELOADER_DEPLOYMENT_NAME', 'name of the Deployment of the operator, for reloader-meta-info'],
  ['METRICS_COUNT_BY_NAMESPACE', 'enabled: count reloads by namespace, too'],
  ['ALERT_ON_RELOAD', 'exactly true: send an alert after each reload'],
  ['ALERT_SINK', 'slack, teams, gchat, or anything else for plain text'],
  ['ALERT_WEBHOOK_URL', 'where alerts go; unset: none are sent'],
  ['ALERT_WEBHOOK_PROXY', 'HTTP proxy for alerts'],
  ['ALERT_ADDITIONAL_INFO', 'text before each alert, such as the name of the cluster'],
  ['POD_NAME', 'name of our own Pod; --enable-ha needs it'],
  ['POD_NAMESPACE', 'namespace of our own Pod; --enable-ha needs it'],
];
