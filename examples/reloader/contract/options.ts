/** Arguments and environment → the options of the operator. */
import { ConfigurationError, formatSelector, type Selector } from 'chancery';
import type { Settings } from 'chancery/low-level';
import { type AlertOptions, alertOptionsOf } from './alert-options.ts';
import { type AnnotationNames, DEFAULT_ANNOTATIONS } from './annotations.ts';
import type { ArgumentName, ArgumentValues, Environment } from './arguments.ts';
import type { DecideOptions, WorkloadKindName } from './decide.ts';
import { parseGoDuration } from './go-words.ts';
import { logSettingsOf } from './log-settings.ts';
import { RESOURCE_TYPES, type ResourceType } from './resource-type.ts';
import { selectorOfEntries } from './selectors.ts';

/** The options of the operator: checked, complete, and read-only. */
export interface Options extends DecideOptions {
  readonly strategy: 'env-vars' | 'annotations';
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  readonly syncAfterRestart: boolean;
  /** The types that are watched: without SECRETPROVIDERCLASS unless CSI is on. */
  readonly resourceTypes: ReadonlySet<ResourceType>;
  /** The kinds that are restarted, in the order of the original. */
  readonly workloadKinds: readonly WorkloadKindName[];
  /** The namespaces that are watched, without duplicates; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  /** Left out of all namespaces; empty unless `namespaces` is undefined. */
  readonly ignoredNamespaces: ReadonlySet<string>;
  /** What the labels of a namespace must satisfy; undefined for anything, and unless `namespaces` is undefined. */
  readonly namespaceSelector: Selector | undefined;
  /** The `labelSelector` of the sources of ConfigMaps, Secrets and SecretProviderClassPodStatuses. */
  readonly resourceSelector: string | undefined;
  /** Changes are sent there, and nothing is restarted. It may contain a token: never log it. */
  readonly webhookUrl: string | undefined;
  /** The webhook gets CloudEvents instead of the body of the original. */
  readonly cloudEvents: boolean;
  /** Undefined: no alerts. */
  readonly alert: AlertOptions | undefined;
  /** Time limit of each call to the webhook and of each alert, in milliseconds. */
  readonly alertTimeoutMs: number;
  readonly metricsByNamespace: boolean;
  /** Where `reloader-meta-info` is written; undefined for nowhere. */
  readonly metaInfo: { readonly namespace: string; readonly deployment: string } | undefined;
  /** Milliseconds after the last change of a workload; 0 for none. */
  readonly debounceMs: number;
  /** Token bucket of all restarts; undefined for no limit. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
  readonly waitForRollout: boolean;
  /** Key of the label that orders workloads; undefined for no order. */
  readonly orderLabel: string | undefined;
  readonly restartWindows: boolean;
  readonly cronJobMode: CronJobMode;
  /** Settings of the manager that follow from the flags: namespaces, leader election, log. */
  readonly settings: Partial<Settings>;
  /** Sentences for the log of the start: flags that are ignored or have no effect. No sentence has a URL. */
  readonly warnings: readonly string[];
  /** The arguments as they were given, for `reloader-meta-info`. */
  readonly given: ArgumentValues;
}

/** What a change does to a CronJob: start a Job, patch the template of the CronJob, or nothing. */
export type CronJobMode = 'job' | 'patch' | 'none';

const STRATEGIES = ['env-vars', 'annotations'] as const;
const CRONJOB_MODES = ['job', 'patch', 'none'] as const;

const MAX_DEBOUNCE_MS = 30_000;
const ALERT_TIMEOUT = { minMs: 100, maxMs: 300_000 };
const MAX_PER_SECOND = 1_000;
const MAX_BURST = 10_000;

/**
 * The options of the command line and the environment.
 *
 * @throws ConfigurationError `CONFIG` that names the flag and what it accepts.
 */
export function optionsOf(values: ArgumentValues, environment: Environment): Options {
  const warnings: string[] = [];
  const warn = (sentence: string): void => void warnings.push(sentence);
  const scope = scopeOf(values, environment, warn);
  const ignoredKinds = ignoredKindsOf(values, warn);
  const reloadOnCreate = isTrueWord(values['reload-on-create']);
  if (values['sync-after-restart'] === true && !reloadOnCreate) {
    warn('--sync-after-restart has no effect without --reload-on-create=true');
  }
  if (values['cloud-events'] === true && (values['webhook-url'] ?? '') === '') {
    warn('--cloud-events has no effect without --webhook-url');
  }
  warnOfProfiles(values, warn);
  const resourceSelector = selectorOfEntries(
    'resource-label-selector',
    values['resource-label-selector'] ?? [],
  );
  return {
    autoReloadAll: values['auto-reload-all'] ?? false,
    ignoredKinds,
    annotations: annotationNamesOf(values),
    strategy: oneOf(values, 'reload-strategy', STRATEGIES, 'env-vars'),
    reloadOnCreate,
    reloadOnDelete: isTrueWord(values['reload-on-delete']),
    syncAfterRestart: values['sync-after-restart'] ?? false,
    resourceTypes: resourceTypesOf(values),
    workloadKinds: workloadKindsOf(values, ignoredKinds),
    ...scope,
    resourceSelector: resourceSelector && formatSelector(resourceSelector),
    webhookUrl: webhookUrlOf(values),
    cloudEvents: values['cloud-events'] ?? false,
    alert: alertOptionsOf(environment, warn),
    alertTimeoutMs: durationOf(values, 'alert-timeout', '10s', ALERT_TIMEOUT),
    metricsByNamespace: environment.METRICS_COUNT_BY_NAMESPACE === 'enabled',
    metaInfo: metaInfoOf(environment),
    debounceMs: durationOf(values, 'debounce', '2s', { minMs: 0, maxMs: MAX_DEBOUNCE_MS }),
    throttle: throttleOf(values, warn),
    waitForRollout: values['wait-for-rollout'] ?? false,
    orderLabel: orderLabelOf(values),
    restartWindows: values['enable-restart-windows'] ?? false,
    cronJobMode: oneOf(values, 'cronjob-mode', CRONJOB_MODES, 'job'),
    settings: {
      ...namespaceSettingsOf(scope, values, environment),
      ...leaderElectionOf(values, environment),
      ...logSettingsOf(values, warn),
    },
    warnings,
    given: values,
  };
}

/** String flags of the original that are on for this one word: not for `True` or `1`. */
function isTrueWord(text: string | undefined): boolean {
  return text === 'true';
}

function unusable(flag: ArgumentName, expected: string, found: string): ConfigurationError {
  return new ConfigurationError(`--${flag} must be ${expected}, not ${JSON.stringify(found)}`);
}

function oneOf<Word extends string>(
  values: ArgumentValues,
  flag: 'reload-strategy' | 'cronjob-mode',
  words: readonly Word[],
  fallback: Word,
): Word {
  const text: string = values[flag] ?? fallback;
  const found = words.find((word) => word === text);
  if (found === undefined) throw unusable(flag, `one of ${words.join(', ')}`, text);
  return found;
}

function durationOf(
  values: ArgumentValues,
  flag: 'debounce' | 'alert-timeout',
  fallback: string,
  bounds: { readonly minMs: number; readonly maxMs: number },
): number {
  const text = values[flag] ?? fallback;
  const result = parseGoDuration(text, bounds);
  if ('ms' in result) return result.ms;
  throw new ConfigurationError(`--${flag} ${result.problem}, not ${JSON.stringify(text)}`);
}

function resourceTypesOf(values: ArgumentValues): ReadonlySet<ResourceType> {
  const ignored = (values['resources-to-ignore'] ?? []).map((word): ResourceType => {
    if (word.toLowerCase() === 'configmaps') return 'CONFIGMAP';
    if (word.toLowerCase() === 'secrets') return 'SECRET';
    throw unusable('resources-to-ignore', 'configmaps or secrets', word);
  });
  if (ignored.length > 1) {
    throw new ConfigurationError(
      '--resources-to-ignore must have one entry: configmaps or secrets',
    );
  }
  const csi = values['enable-csi-integration'] ?? false;
  return new Set(
    RESOURCE_TYPES.filter(
      (type) => !ignored.includes(type) && (type !== 'SECRETPROVIDERCLASS' || csi),
    ),
  );
}

const WORKLOAD_TYPES: ReadonlyMap<string, WorkloadKindName> = new Map([
  ['jobs', 'Job'],
  ['cronjobs', 'CronJob'],
]);

function ignoredKindsOf(
  values: ArgumentValues,
  warn: (sentence: string) => void,
): ReadonlySet<WorkloadKindName> {
  const words = values['ignored-workload-types'] ?? [];
  const unknown = words.find((word) => !WORKLOAD_TYPES.has(word));
  if (unknown !== undefined) {
    warn(
      `--ignored-workload-types accepts jobs and cronjobs, not ${JSON.stringify(unknown)}: the flag is ignored`,
    );
    return new Set();
  }
  return new Set(words.flatMap((word) => WORKLOAD_TYPES.get(word) ?? []));
}

const KINDS: readonly WorkloadKindName[] = [
  'Deployment',
  'CronJob',
  'Job',
  'DaemonSet',
  'StatefulSet',
  'Rollout',
];

function workloadKindsOf(
  values: ArgumentValues,
  ignored: ReadonlySet<WorkloadKindName>,
): readonly WorkloadKindName[] {
  const argo = isTrueWord(values['is-Argo-Rollouts']) || isTrueWord(values['is-argo-rollouts']);
  return KINDS.filter((kind) => !ignored.has(kind) && (kind !== 'Rollout' || argo));
}

function scopeOf(
  values: ArgumentValues,
  environment: Environment,
  warn: (sentence: string) => void,
): Pick<Options, 'namespaces' | 'ignoredNamespaces' | 'namespaceSelector'> {
  const namespaces = watchedNamespaces(values, environment);
  const ignored = namesOf(values['namespaces-to-ignore']);
  const selectors = values['namespace-selector'] ?? [];
  if (namespaces === undefined) {
    const namespaceSelector = selectorOfEntries('namespace-selector', selectors);
    return { namespaces, ignoredNamespaces: new Set(ignored), namespaceSelector };
  }
  if (ignored.length > 0) warn('--namespaces-to-ignore has no effect on a list of namespaces');
  if (selectors.length > 0) warn('--namespace-selector has no effect on a list of namespaces');
  return { namespaces, ignoredNamespaces: new Set(), namespaceSelector: undefined };
}

/** The flag, the variable of the original, and the variable of the toolkit, in this order. */
function watchedNamespaces(
  values: ArgumentValues,
  environment: Environment,
): readonly string[] | undefined {
  const flag = namesOf(values.namespaces);
  const only = environment.KUBERNETES_NAMESPACE?.trim() ?? '';
  const toolkit = namesOf(environment.WATCH_NAMESPACE?.split(','));
  const [source, names] =
    flag.length > 0
      ? ['--namespaces', flag]
      : only !== ''
        ? ['KUBERNETES_NAMESPACE', [only]]
        : ['WATCH_NAMESPACE', toolkit.includes('*') ? [] : toolkit];
  const wrong = names.find(
    (name) => name.length > 63 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name),
  );
  if (wrong !== undefined) {
    throw new ConfigurationError(
      `${source} must have names of namespaces, not ${JSON.stringify(wrong)}`,
    );
  }
  return names.length === 0 ? undefined : names;
}

/** Left to the manager where WATCH_NAMESPACE decides, so that the overlays of the manifests choose. */
function namespaceSettingsOf(
  { namespaces }: Pick<Options, 'namespaces'>,
  values: ArgumentValues,
  { KUBERNETES_NAMESPACE = '', WATCH_NAMESPACE = '' }: Environment,
): Partial<Settings> {
  const isOurs = namesOf(values.namespaces).length > 0 || KUBERNETES_NAMESPACE.trim() !== '';
  return isOurs || WATCH_NAMESPACE === '' ? { namespaces, namespace: namespaces?.[0] } : {};
}

function namesOf(entries: readonly string[] | undefined): readonly string[] {
  return [...new Set((entries ?? []).map((entry) => entry.trim()))].filter((name) => name !== '');
}

function webhookUrlOf(values: ArgumentValues): string | undefined {
  const text = values['webhook-url']?.trim() ?? '';
  if (text === '') return undefined;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new ConfigurationError('--webhook-url must be a URL with http or https');
}

function metaInfoOf(environment: Environment): Options['metaInfo'] {
  const namespace = environment.RELOADER_NAMESPACE ?? '';
  if (namespace === '') return undefined;
  return { namespace, deployment: environment.RELOADER_DEPLOYMENT_NAME ?? '' };
}

function throttleOf(values: ArgumentValues, warn: (sentence: string) => void): Options['throttle'] {
  const rate = values['rollouts-per-second'] ?? '0';
  const perSecond = /^\d{1,4}(\.\d{1,3})?$/.test(rate) ? Number(rate) : Number.NaN;
  if (!(perSecond <= MAX_PER_SECOND)) {
    throw unusable('rollouts-per-second', `0, or a number from 0.001 to ${MAX_PER_SECOND}`, rate);
  }
  const text = values['rollout-burst'] ?? '';
  const burst = text === '' ? Math.max(1, Math.ceil(perSecond)) : wholeNumber(text);
  if (!(burst >= 1 && burst <= MAX_BURST)) {
    throw unusable('rollout-burst', `a whole number from 1 to ${MAX_BURST}`, text);
  }
  if (perSecond > 0) return { perSecond, burst };
  if (text !== '') warn('--rollout-burst has no effect without --rollouts-per-second');
  return undefined;
}

function wholeNumber(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}

/** `[prefix/]name`, as the API server has it for labels and annotations. */
const QUALIFIED_NAME =
  /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

function orderLabelOf(values: ArgumentValues): string | undefined {
  const text = values['order-label']?.trim() ?? '';
  if (text === '' || QUALIFIED_NAME.test(text)) return text || undefined;
  throw unusable('order-label', 'the key of a label, such as example.com/order', text);
}

function annotationNamesOf(values: ArgumentValues): AnnotationNames {
  const names = DEFAULT_ANNOTATIONS;
  const key = (flag: ArgumentName & `${string}-annotation`, fallback: string): string => {
    const text = values[flag]?.trim() ?? '';
    if (text === '') return fallback;
    if (!QUALIFIED_NAME.test(text)) {
      throw unusable(flag, 'the key of an annotation, such as example.com/reload', text);
    }
    return text;
  };
  return {
    ...names,
    auto: key('auto-annotation', names.auto),
    typedAuto: {
      ...names.typedAuto,
      CONFIGMAP: key('configmap-auto-annotation', names.typedAuto.CONFIGMAP),
      SECRET: key('secret-auto-annotation', names.typedAuto.SECRET),
    },
    reload: {
      ...names.reload,
      CONFIGMAP: key('configmap-annotation', names.reload.CONFIGMAP),
      SECRET: key('secret-annotation', names.reload.SECRET),
    },
    search: key('auto-search-annotation', names.search),
    match: key('search-match-annotation', names.match),
    ignore: key('ignore-annotation', names.ignore),
    pausePeriod: key('pause-deployment-annotation', names.pausePeriod),
    pausedAt: key('pause-deployment-time-annotation', names.pausedAt),
  };
}

/** The Lease and the times of the original. A leader that loses its term exits, as there. */
function leaderElectionOf(
  values: ArgumentValues,
  environment: Environment,
): Pick<Settings, 'leaderElection'> | undefined {
  if (values['enable-ha'] !== true) return undefined;
  for (const name of ['POD_NAME', 'POD_NAMESPACE']) {
    if ((environment[name] ?? '') === '') {
      throw new ConfigurationError(`--enable-ha needs the environment variable ${name}`);
    }
  }
  return {
    leaderElection: {
      leaseName: 'stakater-reloader-lock',
      leaseNamespace: environment.POD_NAMESPACE ?? '',
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      releaseOnStop: true,
      onLost: 'exit',
    },
  };
}

function warnOfProfiles(values: ArgumentValues, warn: (sentence: string) => void): void {
  if (values['enable-pprof'] === true) warn('--enable-pprof has no effect: there is no Go profile');
  if ((values['pprof-addr'] ?? '') !== '') warn('--pprof-addr has no effect');
}
