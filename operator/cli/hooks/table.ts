import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  'max-processes': { type: 'number', min: 1, default: '4', help: 'hooks that run at a time' },
  'hook-timeout': {
    type: 'duration',
    default: '60s',
    help: 'limit of a run, such as 90s or 5m; 0 for none',
  },
  'hook-env': { type: 'variable', multiple: true, help: 'a variable that hooks also get' },
  'max-attempts': {
    type: 'number',
    min: 1,
    help: 'attempts after which a run is given up and recorded; default: never',
  },
  'strict-patches': { help: 'refuse patches with fields that have no effect' },
  'skip-broken-hooks': { help: 'start without the hooks that cannot be used' },
  'no-leader-election': { help: 'every replica runs the hooks' },
  crd: {
    type: 'path',
    value: 'FILE',
    multiple: true,
    help: 'file or folder of CustomResourceDefinitions; default DIR/crds',
  },
  'hooks-dir': {
    type: 'path',
    value: 'DIR',
    env: 'SHELL_OPERATOR_HOOKS_DIR',
    help: 'the folder, in place of the argument',
  },
  'tmp-dir': {
    type: 'path',
    env: 'SHELL_OPERATOR_TMP_DIR',
    help: 'folder for the files of runs; default chancery-hooks in the temporary folder',
  },
  'listen-address': {
    type: 'text',
    value: 'ADDRESS',
    env: 'SHELL_OPERATOR_LISTEN_ADDRESS',
    help: 'address of /metrics; default all',
  },
  'listen-port': {
    type: 'port',
    env: 'SHELL_OPERATOR_LISTEN_PORT',
    help: 'port of /metrics and /metrics/hooks; default 8080, 0 for none',
  },
  'metrics-prefix': {
    type: 'text',
    help: 'what metrics of the runner begin with; default shell_operator_',
  },
  'prometheus-metrics-prefix': {
    type: 'text',
    env: 'SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX',
    help: 'the same, by its name in shell-operator',
  },
  'log-level': {
    type: 'choice',
    value: 'LEVEL',
    choices: ['debug', 'info', 'warn', 'error'],
    env: 'LOG_LEVEL',
    help: 'debug, info, warn or error',
  },
  'log-type': {
    type: 'choice',
    value: 'TYPE',
    choices: ['json', 'text', 'color'],
    env: 'LOG_TYPE',
    help: 'json, text or color',
  },
  'log-proxy-hook-json': {
    env: 'LOG_PROXY_HOOK_JSON',
    help: 'fields of JSON lines of hooks become fields of the log',
  },
  check: { help: 'print what the hooks declare, one line of JSON each, and do not run' },
  'dry-run': { help: 'run everything once, and print what would be written, as diffs' },
  follow: { help: 'with --dry-run: go on until SIGTERM or SIGINT' },
  'insecure-allow-token': {
    help: 'start although a ServiceAccount token is visible to this process',
  },
} as const;

/*
 * The other options of shell-operator.
 */

const ADDRESS = 'the runner speaks only to its ambassador: set CHANCERY_API_URL';
const CREDENTIALS = 'the runner has no credentials: they belong to the kubectl proxy beside it';
const RATE = 'the runner limits its own requests by what the API server answers; leave it out';
const ADMISSION =
  'chancery generate manifests --hooks DIR makes configurations, Service and gate, and --certificates says where the certificate comes from';

/** Options of shell-operator that do not exist here, each with what to use instead. */
const REPLACED: Readonly<Record<string, string>> = {
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

/**
 * Options whose environment variables have the prefix `SHELL_OPERATOR_`. The variables of other
 * options have no prefix.
 */
const PREFIXED: ReadonlySet<string> = new Set([
  'hooks-dir',
  'tmp-dir',
  'listen-address',
  'listen-port',
  'prometheus-metrics-prefix',
  'namespace',
]);

/** The environment variable for an option, such as `SHELL_OPERATOR_TMP_DIR` or `LOG_TYPE`. */
function variableOf(option: string): string {
  const name = option.toUpperCase().replaceAll('-', '_');
  return PREFIXED.has(option) ? `SHELL_OPERATOR_${name}` : name;
}

/** The command line of `chancery hooks`. */
export const HOOKS: CommandTable<typeof OPTIONS> = {
  name: 'hooks',
  summary: 'run a folder of executables as an operator',
  usage: ['DIR [--check | --dry-run [--follow]] [OPTION...]'],
  arguments: [{ name: 'DIR', isPath: true }],
  options: OPTIONS,
  replaced: REPLACED,
  ignored: Object.fromEntries(
    Object.entries(REPLACED).map(([option, instead]) => [variableOf(option), instead]),
  ),
  isLasting: true,
  description: `Runs the executables of a folder as an operator, by the contract of shell-operator: each says with --config
what it watches, is started for each change, and leaves files with patches and metrics. Hooks may be written in
any language. They hold no credentials, and their patches need rights that a file HOOK.rights.yaml declares.

It needs the package @chancery/hooks beside chancery: npm install @chancery/hooks

DIR may be a folder that is mounted from a ConfigMap. While hooks run, its changes are noticed: a script counts
from its next start, and when hooks come, go or answer --config differently, the process ends with exit
code 0, so that its container starts again.`,
  environment: 'all',
  notes: `The variables of shell-operator count as well, and an option wins over them. What has no meaning here is answered
with its replacement.

Hooks that answer the API server are asked in plain HTTP at 127.0.0.1:9440, or where CHANCERY_WEBHOOK_LISTEN says.

All namespaces are watched unless WATCH_NAMESPACE says otherwise. With POD_NAMESPACE, replicas elect a leader by the
Lease hooks-leader; the others list and watch, and take over at once.`,
  exitCodes: {
    0: 'asked to stop, or the folder has changed, and stopped in order',
    1: 'failed, or asked to stop twice',
    2: 'a hook cannot be used, or the command line or the environment is wrong',
    3: 'leadership lost, or refused to start where it is not safe',
  },
};
