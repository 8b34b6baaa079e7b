/** The rows of the table in `chart.ts`: each value of the chart, and what it becomes. */
import { ConfigurationError } from 'chancery';
import type { coreV1 } from 'chancery/kubernetes';

/** The release. */
export interface ChartContext {
  readonly namespace: string;
  readonly name: string;
}

/** The value at a path such as `reloader.enableHA`; undefined when it is left out. */
export type ReadValue = (path: string) => unknown;

/** What one row gives. */
export interface ChartGiven {
  readonly args?: readonly string[];
  readonly environment?: readonly coreV1.EnvVar[];
  readonly warnings?: readonly string[];
}

/** One row: values of the chart, and what they become. */
export interface ChartRow {
  readonly values: readonly string[];
  /** For the table of the README, in Markdown. */
  readonly gives: string;
  readonly give: (read: ReadValue, context: ChartContext) => ChartGiven;
}

const VALUE = 'reloader.';
const CUSTOM = `${VALUE}custom_annotations.`;
const ENV = `${VALUE}deployment.env.`;

function unusable(path: string, expected: string): ConfigurationError {
  return new ConfigurationError(`value ${path} must be ${expected}`);
}

/** False when left out. A text such as "true" is refused, as Helm refuses to compare it. */
function booleanAt(read: ReadValue, path: string, fallback = false): boolean {
  const value = read(path) ?? fallback;
  if (typeof value === 'boolean') return value;
  throw unusable(path, 'true or false');
}

/** Empty when left out. YAML reads names such as `123` as numbers. */
function textAt(read: ReadValue, path: string): string {
  const value = read(path) ?? '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  throw unusable(path, 'a string');
}

/** A list, or a text with commas. */
function listAt(read: ReadValue, path: string): readonly string[] {
  const value = read(path) ?? [];
  if (typeof value === 'string') return namesOf(value.split(','));
  if (Array.isArray(value)) return namesOf(value.map((each) => String(each)));
  throw unusable(path, 'a list of names');
}

function namesOf(words: readonly string[]): readonly string[] {
  return words.map((word) => word.trim()).filter((word) => word !== '');
}

/** An item of a list flag: quoted as CSV when it has a comma or a quote. */
function csv(item: string): string {
  return /[",\n]/.test(item) ? `"${item.replaceAll('"', '""')}"` : item;
}

function switchRow(value: string, arg: string): ChartRow {
  return {
    values: [VALUE + value],
    gives: `\`${arg}\``,
    give: (read) => (booleanAt(read, VALUE + value) ? { args: [arg] } : {}),
  };
}

function textRow(path: string, flag: string): ChartRow {
  return {
    values: [path],
    gives: `\`--${flag}=…\``,
    give: (read) => {
      const text = textAt(read, path);
      return text === '' ? {} : { args: [`--${flag}=${text}`] };
    },
  };
}

function fieldVariable(name: string, fieldPath: string): coreV1.EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

/** The whole map at a path, with texts as values; empty values are left out, as the chart does. */
function mapAt(read: ReadValue, path: string): readonly (readonly [string, string])[] {
  const value = read(path) ?? {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unusable(path, 'a map');
  }
  return Object.entries(value)
    .map(([name, each]): [string, string] => {
      if (typeof each === 'object' && each !== null) throw unusable(`${path}.${name}`, 'a string');
      return [name, String(each ?? '')];
    })
    .filter(([, text]) => text !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const IGNORED_RESOURCES: ChartRow = {
  values: [`${VALUE}ignoreSecrets`, `${VALUE}ignoreConfigMaps`],
  gives: '`--resources-to-ignore=secrets` or `--resources-to-ignore=configmaps`; both are refused',
  give: (read) => {
    const secrets = booleanAt(read, `${VALUE}ignoreSecrets`);
    const configMaps = booleanAt(read, `${VALUE}ignoreConfigMaps`);
    if (secrets && configMaps) {
      throw new ConfigurationError(
        `values ${VALUE}ignoreSecrets and ${VALUE}ignoreConfigMaps must not both be true: nothing would be left to watch`,
      );
    }
    if (!secrets && !configMaps) return {};
    return { args: [`--resources-to-ignore=${secrets ? 'secrets' : 'configmaps'}`] };
  },
};

const IGNORED_WORKLOADS: ChartRow = {
  values: [`${VALUE}ignoreJobs`, `${VALUE}ignoreCronJobs`],
  gives: '`--ignored-workload-types=jobs,cronjobs`, or one of them',
  give: (read) => {
    const words = [
      ...(booleanAt(read, `${VALUE}ignoreJobs`) ? ['jobs'] : []),
      ...(booleanAt(read, `${VALUE}ignoreCronJobs`) ? ['cronjobs'] : []),
    ];
    return words.length === 0 ? {} : { args: [`--ignored-workload-types=${words.join(',')}`] };
  },
};

const STRATEGY: ChartRow = {
  values: [`${VALUE}reloadStrategy`],
  gives: '`--reload-strategy=…`; nothing for `default`',
  give: (read) => {
    const text = textAt(read, `${VALUE}reloadStrategy`);
    return text === '' || text === 'default' ? {} : { args: [`--reload-strategy=${text}`] };
  },
};

const SCOPE: ChartRow = {
  values: [
    `${VALUE}watchGlobally`,
    `${VALUE}namespaces`,
    `${VALUE}ignoreNamespaces`,
    `${VALUE}namespaceSelector`,
  ],
  gives:
    '`--namespaces=…` with the namespace of the release added; else, for `watchGlobally: false`, the variable `KUBERNETES_NAMESPACE`; else `--namespaces-to-ignore=…` and `--namespace-selector=…`',
  give: (read, { namespace }) => {
    const namespaces = listAt(read, `${VALUE}namespaces`);
    const ignored = listAt(read, `${VALUE}ignoreNamespaces`);
    const selector = textAt(read, `${VALUE}namespaceSelector`);
    const global = booleanAt(read, `${VALUE}watchGlobally`, true);
    if (namespaces.length === 0 && global) {
      return {
        args: [
          ...(ignored.length > 0 ? [`--namespaces-to-ignore=${ignored.map(csv).join(',')}`] : []),
          ...(selector === '' ? [] : [`--namespace-selector=${csv(selector)}`]),
        ],
      };
    }
    const warnings =
      ignored.length > 0 || selector !== ''
        ? [
            `${VALUE}ignoreNamespaces and ${VALUE}namespaceSelector have no effect on a list of namespaces`,
          ]
        : [];
    if (namespaces.length === 0) {
      return {
        environment: [fieldVariable('KUBERNETES_NAMESPACE', 'metadata.namespace')],
        warnings,
      };
    }
    const all = [...new Set([namespace, ...namespaces])].sort();
    return { args: [`--namespaces=${all.join(',')}`], warnings };
  },
};

const RESOURCE_SELECTOR: ChartRow = {
  values: [`${VALUE}resourceLabelSelector`],
  gives: '`--resource-label-selector=…`',
  give: (read) => {
    const text = textAt(read, `${VALUE}resourceLabelSelector`);
    return text === '' ? {} : { args: [`--resource-label-selector=${csv(text)}`] };
  },
};

const REPLICAS: ChartRow = {
  values: [`${VALUE}enableHA`, `${VALUE}deployment.replicas`],
  gives:
    '`--enable-ha=true` for `enableHA` or several replicas, with the variables `POD_NAME` and `POD_NAMESPACE`',
  give: (read) => {
    const replicas = read(`${VALUE}deployment.replicas`) ?? 1;
    if (!Number.isInteger(replicas))
      throw unusable(`${VALUE}deployment.replicas`, 'a whole number');
    if (!booleanAt(read, `${VALUE}enableHA`) && Number(replicas) <= 1) return {};
    return {
      args: ['--enable-ha=true'],
      environment: [
        fieldVariable('POD_NAME', 'metadata.name'),
        fieldVariable('POD_NAMESPACE', 'metadata.namespace'),
      ],
    };
  },
};

const PROFILES: ChartRow = {
  values: [`${VALUE}enablePProf`, `${VALUE}pprofAddr`],
  gives: 'nothing, with a warning: there is no Go profile',
  give: (read) =>
    booleanAt(read, `${VALUE}enablePProf`)
      ? { warnings: [`${VALUE}enablePProf has no effect: there is no Go profile`] }
      : {},
};

const METRICS: ChartRow = {
  values: [`${VALUE}enableMetricsByNamespace`],
  gives: 'the variable `METRICS_COUNT_BY_NAMESPACE=enabled`',
  give: (read) =>
    booleanAt(read, `${VALUE}enableMetricsByNamespace`)
      ? { environment: [{ name: 'METRICS_COUNT_BY_NAMESPACE', value: 'enabled' }] }
      : {},
};

const VARIABLES: ChartRow = {
  values: ['open', 'secret', 'existing', 'field'].map((each) => ENV + each),
  gives:
    'variables: texts, keys of the Secret of the release (which the overlay makes), keys of other Secrets, fields of the Pod',
  give: (read, { name: release }) => {
    const secretKey = (name: string, secret: string, key: string): coreV1.EnvVar => ({
      name,
      valueFrom: { secretKeyRef: { name: secret, key } },
    });
    const secrets = mapAt(read, `${ENV}secret`).map(([name]) => secretKey(name, release, name));
    const existing = Object.entries(objectAt(read, `${ENV}existing`)).flatMap(([secret, keys]) =>
      mapAt(() => keys, `${ENV}existing.${secret}`).map(([name, key]) =>
        secretKey(name, secret, key),
      ),
    );
    return {
      environment: [
        ...mapAt(read, `${ENV}open`).map(([name, value]): coreV1.EnvVar => ({ name, value })),
        ...secrets,
        ...existing,
        ...mapAt(read, `${ENV}field`).map(([name, path]) => fieldVariable(name, path)),
      ],
      warnings:
        secrets.length > 0 ? [`${ENV}secret needs the Secret ${release} in the overlay`] : [],
    };
  },
};

function objectAt(read: ReadValue, path: string): object {
  const value = read(path) ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw unusable(path, 'a map');
}

const RELEASE: ChartRow = {
  values: [],
  gives: 'always: the variables `RELOADER_NAMESPACE` and `RELOADER_DEPLOYMENT_NAME`',
  give: (_, { name }) => ({
    environment: [
      fieldVariable('RELOADER_NAMESPACE', 'metadata.namespace'),
      { name: 'RELOADER_DEPLOYMENT_NAME', value: name },
    ],
  }),
};

/** Every value that the program is given, in the order of its arguments. */
export const CHART_ROWS: readonly ChartRow[] = [
  switchRow('autoReloadAll', '--auto-reload-all=true'),
  STRATEGY,
  switchRow('reloadOnCreate', '--reload-on-create=true'),
  switchRow('reloadOnDelete', '--reload-on-delete=true'),
  switchRow('syncAfterRestart', '--sync-after-restart=true'),
  IGNORED_RESOURCES,
  IGNORED_WORKLOADS,
  SCOPE,
  RESOURCE_SELECTOR,
  switchRow('isArgoRollouts', '--is-Argo-Rollouts=true'),
  switchRow('enableCSIIntegration', '--enable-csi-integration=true'),
  textRow(`${VALUE}webhookUrl`, 'webhook-url'),
  REPLICAS,
  switchRow('enableRestartWindows', '--enable-restart-windows=true'),
  textRow(`${CUSTOM}auto`, 'auto-annotation'),
  textRow(`${CUSTOM}configmap_auto`, 'configmap-auto-annotation'),
  textRow(`${CUSTOM}secret_auto`, 'secret-auto-annotation'),
  textRow(`${CUSTOM}configmap`, 'configmap-annotation'),
  textRow(`${CUSTOM}secret`, 'secret-annotation'),
  textRow(`${CUSTOM}search`, 'auto-search-annotation'),
  textRow(`${CUSTOM}match`, 'search-match-annotation'),
  textRow(`${CUSTOM}ignore`, 'ignore-annotation'),
  textRow(`${CUSTOM}pausePeriod`, 'pause-deployment-annotation'),
  textRow(`${CUSTOM}pauseTime`, 'pause-deployment-time-annotation'),
  textRow(`${VALUE}logFormat`, 'log-format'),
  textRow(`${VALUE}logLevel`, 'log-level'),
  PROFILES,
  METRICS,
  VARIABLES,
  RELEASE,
];

const OVERLAY = 'a field of the generated manifests: patch it in the overlay';
const NO_GO = 'nothing: there is no Go runtime';
const IMAGE = 'the image of the operator, in the overlay';

/** Values that change manifests and no argument. A value that ends in `.*` has any values below it. */
export const MANIFEST_VALUES: readonly { readonly value: string; readonly where: string }[] = [
  { value: 'global.imageRegistry', where: IMAGE },
  { value: 'global.imagePullSecrets', where: OVERLAY },
  { value: 'nameOverride', where: 'the name of the generated manifests' },
  { value: 'fullnameOverride', where: 'the name of the generated manifests' },
  { value: 'namespace', where: 'the namespace of the generated manifests' },
  { value: 'kubernetes.*', where: 'nothing: the operator asks its ambassador' },
  { value: 'image.*', where: IMAGE },
  { value: `${VALUE}isOpenshift`, where: 'nothing: DeploymentConfigs are not handled' },
  { value: `${VALUE}legacy.*`, where: 'nothing: roles are generated' },
  { value: `${VALUE}rbac.*`, where: 'generated roles, see the overlay' },
  { value: `${VALUE}serviceAccount.*`, where: OVERLAY },
  { value: `${VALUE}matchLabels.*`, where: OVERLAY },
  {
    value: `${VALUE}deployment.automountServiceAccountToken`,
    where: 'nothing: the container of the operator never has a token',
  },
  { value: `${VALUE}deployment.gomaxprocsOverride`, where: NO_GO },
  { value: `${VALUE}deployment.gomemlimitOverride`, where: NO_GO },
  { value: `${VALUE}readOnlyRootFileSystem`, where: 'always on in the generated manifests' },
  { value: `${VALUE}service.*`, where: 'a Service of the overlay' },
  { value: `${VALUE}serviceMonitor.*`, where: 'a ServiceMonitor of the overlay' },
  { value: `${VALUE}podMonitor.*`, where: 'a PodMonitor of the overlay' },
  { value: `${VALUE}podDisruptionBudget.*`, where: 'a PodDisruptionBudget of the overlay' },
  { value: `${VALUE}netpol.*`, where: 'a NetworkPolicy of the overlay' },
  {
    value: `${VALUE}verticalPodAutoscaler.*`,
    where: 'a VerticalPodAutoscaler of the overlay',
  },
  ...[
    'affinity',
    'annotations',
    'containerSecurityContext',
    'dnsConfig',
    'hostUsers',
    'labels',
    'livenessProbe',
    'nodeSelector',
    'pod',
    'priorityClassName',
    'readinessProbe',
    'resources',
    'revisionHistoryLimit',
    'runtimeClassName',
    'schedulerName',
    'securityContext',
    'tolerations',
    'topologySpreadConstraints',
    'volumeMounts',
    'volumes',
  ].map((name) => ({ value: `${VALUE}deployment.${name}`, where: OVERLAY })),
];
