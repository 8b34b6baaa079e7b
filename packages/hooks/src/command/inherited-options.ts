/**
 * The options of shell-operator. Those that mean something here are taken by either name; the others are answered
 * with what replaces them.
 */

const ADDRESS = 'the runner speaks only to its ambassador: set CHANCERY_API_URL';
const CREDENTIALS = 'the runner has no credentials: they belong to the kubectl proxy beside it';
const RATE = 'the runner limits its own requests by what the API server answers; leave it out';
const ADMISSION = 'admission and conversion webhooks are not supported yet';

/** Option -> what to do instead. */
export const REPLACED: Readonly<Record<string, string>> = {
  'kube-context': CREDENTIALS,
  'kube-config': CREDENTIALS,
  'kube-server': ADDRESS,
  'kube-client-qps': RATE,
  'kube-client-burst': RATE,
  'object-patcher-kube-client-qps': RATE,
  'object-patcher-kube-client-burst': RATE,
  'object-patcher-kube-client-timeout': RATE,
  namespace:
    'set POD_NAMESPACE by the Downward API, and WATCH_NAMESPACE for the namespaces to watch',
  'log-no-time':
    'the log is JSON with times in containers; read it with a program that leaves them out',
  'debug-unix-socket': 'the status page at /status of the health port shows queues and hooks',
  'debug-http-addr': 'the status page at /status of the health port shows queues and hooks',
  'debug-keep-tmp-files':
    'run the hook with chancery test-hook, which shows what it reads and leaves',
  'debug-kubernetes-api': 'set CHANCERY_METRICS_DETAILED=true, or CHANCERY_LOG_LEVEL=debug',
  'jq-library-path': 'filters have no modules: write the function into the filter',
  'validating-webhook-configuration-name': ADMISSION,
  'validating-webhook-service-name': ADMISSION,
  'validating-webhook-server-cert': ADMISSION,
  'validating-webhook-server-key': ADMISSION,
  'validating-webhook-ca': ADMISSION,
  'validating-webhook-client-ca': ADMISSION,
  'validating-webhook-failure-policy': ADMISSION,
  'validating-webhook-listen-port': ADMISSION,
  'validating-webhook-listen-address': ADMISSION,
  'conversion-webhook-service-name': ADMISSION,
  'conversion-webhook-server-cert': ADMISSION,
  'conversion-webhook-server-key': ADMISSION,
  'conversion-webhook-ca': ADMISSION,
  'conversion-webhook-client-ca': ADMISSION,
  'conversion-webhook-listen-port': ADMISSION,
  'conversion-webhook-listen-address': ADMISSION,
};

/** The options that have the prefix `SHELL_OPERATOR_` as variables. The others have none. */
const PREFIXED: ReadonlySet<string> = new Set([
  'hooks-dir',
  'tmp-dir',
  'listen-address',
  'listen-port',
  'prometheus-metrics-prefix',
  'namespace',
]);

/** The variable of an option: `SHELL_OPERATOR_TMP_DIR`, `LOG_TYPE`. */
export function variableOf(option: string): string {
  const name = option.toUpperCase().replaceAll('-', '_');
  return PREFIXED.has(option) ? `SHELL_OPERATOR_${name}` : name;
}
