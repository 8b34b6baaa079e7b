/** Arguments and environment as options: defaults, words, bounds, warnings and errors of the start. */
import { formatSelector } from 'chancery';
import { describe, expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../../contract/annotations.ts';
import {
  ARGUMENTS,
  type ArgumentDeclaration,
  type ArgumentValues,
  type Environment,
} from '../../contract/arguments.ts';
import { type Options, optionsOf } from '../../contract/options.ts';

const options = (values: ArgumentValues = {}, environment: Environment = {}): Options =>
  optionsOf(values, environment);

/** The message of the error of the start. */
function refusal(values: ArgumentValues, environment: Environment = {}): string {
  try {
    optionsOf(values, environment);
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'CONFIG' });
    return (error as Error).message;
  }
  return 'started';
}

/** Values of all string arguments as the table has them by default: what `withArguments` gives. */
const TABLE: Readonly<Record<string, ArgumentDeclaration>> = ARGUMENTS;

describe('without arguments and variables', () => {
  const EXPECTED: Omit<Options, 'given'> = {
    autoReloadAll: false,
    ignoredKinds: new Set(),
    annotations: DEFAULT_ANNOTATIONS,
    strategy: 'env-vars',
    reloadOnCreate: false,
    reloadOnDelete: false,
    syncAfterRestart: false,
    resourceTypes: new Set(['CONFIGMAP', 'SECRET']),
    workloadKinds: ['Deployment', 'CronJob', 'Job', 'DaemonSet', 'StatefulSet'],
    namespaces: undefined,
    ignoredNamespaces: new Set(),
    namespaceSelector: undefined,
    resourceSelector: undefined,
    webhookUrl: undefined,
    cloudEvents: false,
    alert: undefined,
    alertTimeoutMs: 10_000,
    metricsByNamespace: false,
    metaInfo: undefined,
    debounceMs: 2_000,
    throttle: undefined,
    waitForRollout: false,
    orderLabel: undefined,
    restartWindows: false,
    cronJobMode: 'job',
    settings: { namespaces: undefined, namespace: undefined },
    warnings: [],
  };

  test('the options are the defaults of the original operator, and options that it lacks are off, except for the debounce', () => {
    expect(options()).toEqual({ ...EXPECTED, given: {} });
  });

  test('the defaults in the table of arguments result in the same options', () => {
    const given = Object.fromEntries(
      Object.entries(TABLE).map(([name, { type, default: text }]) => [
        name,
        type === 'boolean' ? false : type === 'list' ? [] : text,
      ]),
    ) as ArgumentValues;

    expect(options(given)).toEqual({ ...EXPECTED, given });
  });
});

describe('flags that are on or off', () => {
  test.each([
    ['auto-reload-all', 'autoReloadAll'],
    ['wait-for-rollout', 'waitForRollout'],
    ['enable-restart-windows', 'restartWindows'],
  ] as const)('the option --%s is on if its value is true', (flag, option) => {
    expect(options({ [flag]: true })[option]).toBe(true);
    expect(options({ [flag]: true }).warnings).toEqual([]);
  });

  test.each([
    ['reload-on-create', 'reloadOnCreate'],
    ['reload-on-delete', 'reloadOnDelete'],
  ] as const)('the option --%s is on only if its value is exactly true', (flag, option) => {
    expect(options({ [flag]: 'true' })[option]).toBe(true);
    for (const word of ['True', '1', 'TRUE', 't', '', ' true', 'yes']) {
      expect(options({ [flag]: word })[option]).toBe(false);
    }
  });

  test.each([
    'is-Argo-Rollouts',
    'is-argo-rollouts',
  ] as const)('the option --%s adds Rollouts as the last kind only if its value is exactly true', (flag) => {
    expect(options({ [flag]: 'true' }).workloadKinds.at(-1)).toBe('Rollout');
    expect(options({ [flag]: 'True' }).workloadKinds).not.toContain('Rollout');
    expect(options({ [flag]: '1' }).workloadKinds).not.toContain('Rollout');
  });

  test('--enable-csi-integration adds SecretProviderClasses as the third type of resources', () => {
    expect([...options({ 'enable-csi-integration': true }).resourceTypes]).toEqual([
      'CONFIGMAP',
      'SECRET',
      'SECRETPROVIDERCLASS',
    ]);
  });

  test('--sync-after-restart and --cloud-events cause a warning when they have no effect', () => {
    expect(options({ 'sync-after-restart': true }).warnings).toEqual([
      '--sync-after-restart has no effect without --reload-on-create=true',
    ]);
    expect(options({ 'sync-after-restart': true, 'reload-on-create': 'true' })).toMatchObject({
      syncAfterRestart: true,
      warnings: [],
    });
    expect(options({ 'cloud-events': true }).warnings).toHaveLength(1);
    expect(options({ 'cloud-events': true, 'webhook-url': 'http://a/' }).warnings).toEqual([]);
  });

  test('the flags for profiling are accepted with a warning', () => {
    expect(options({ 'enable-pprof': true, 'pprof-addr': ':6060' }).warnings).toEqual([
      '--enable-pprof has no effect: there is no Go profile',
      '--pprof-addr has no effect',
    ]);
    expect(options({ 'enable-pprof': false }).warnings).toEqual([]);
  });
});

describe('flags that accept fixed words', () => {
  test('--reload-strategy and --cronjob-mode accept only the words in their documentation', () => {
    expect(options({ 'reload-strategy': 'annotations' }).strategy).toBe('annotations');
    expect(options({ 'cronjob-mode': 'patch' }).cronJobMode).toBe('patch');
    expect(options({ 'cronjob-mode': 'none' }).cronJobMode).toBe('none');
    expect(refusal({ 'reload-strategy': 'default' })).toBe(
      '--reload-strategy must be one of env-vars, annotations, not "default"',
    );
    expect(refusal({ 'cronjob-mode': 'Job' })).toBe(
      '--cronjob-mode must be one of job, patch, none, not "Job"',
    );
  });

  test.each([
    ['configmaps', 'SECRET'],
    ['ConfigMaps', 'SECRET'],
    ['sEcrets', 'CONFIGMAP'],
  ])('with --resources-to-ignore=%s, only the type %s is watched', (word, left) => {
    expect([...options({ 'resources-to-ignore': [word] }).resourceTypes]).toEqual([left]);
  });

  test('[reloader 15] --resources-to-ignore accepts only one entry, so that one type of resources is still watched', () => {
    expect(refusal({ 'resources-to-ignore': ['secrets', 'configmaps'] })).toBe(
      '--resources-to-ignore must have one entry: configmaps or secrets',
    );
    expect(refusal({ 'resources-to-ignore': ['secrets', 'secrets'] })).toContain('one entry');
    expect(refusal({ 'resources-to-ignore': ['secret'] })).toBe(
      '--resources-to-ignore must be configmaps or secrets, not "secret"',
    );
  });

  test('--ignored-workload-types removes the kinds that it lists', () => {
    const { ignoredKinds, workloadKinds } = options({
      'ignored-workload-types': ['jobs', 'cronjobs'],
    });

    expect([...ignoredKinds]).toEqual(['Job', 'CronJob']);
    expect(workloadKinds).toEqual(['Deployment', 'DaemonSet', 'StatefulSet']);
    expect([...options({ 'ignored-workload-types': ['jobs'] }).ignoredKinds]).toEqual(['Job']);
  });

  test('one unknown word, such as Jobs, disables --ignored-workload-types with a warning', () => {
    const { ignoredKinds, warnings } = options({ 'ignored-workload-types': ['jobs', 'Jobs'] });

    expect([...ignoredKinds]).toEqual([]);
    expect(warnings).toEqual([
      '--ignored-workload-types accepts jobs and cronjobs, not "Jobs": the flag is ignored',
    ]);
  });
});

describe('[reloader 18] namespaces', () => {
  test.each<[string, ArgumentValues, Environment, string[] | undefined]>([
    ['all by default', {}, {}, undefined],
    ['from the flag', { namespaces: ['b', ' a ', 'b', ''] }, {}, ['b', 'a']],
    [
      'from the flag, and not from variables',
      { namespaces: ['a'] },
      { KUBERNETES_NAMESPACE: 'b', WATCH_NAMESPACE: 'c' },
      ['a'],
    ],
    [
      'from the variable of the original',
      {},
      { KUBERNETES_NAMESPACE: 'b', WATCH_NAMESPACE: 'c' },
      ['b'],
    ],
    [
      'all namespaces, if the values are empty',
      { namespaces: [] },
      { KUBERNETES_NAMESPACE: '' },
      undefined,
    ],
  ])('the watched namespaces: %s', (_, values, environment, expected) => {
    const { namespaces, settings } = options(values, environment);

    expect(namespaces).toEqual(expected);
    expect(settings).toEqual({ namespaces: expected, namespace: expected?.[0] });
  });

  test.each([
    ['c, d', ['c', 'd']],
    ['*', undefined],
  ])('WATCH_NAMESPACE=%s sets the namespaces, and is still read by the manager', (text, expected) => {
    const { namespaces, settings } = options({}, { WATCH_NAMESPACE: text });

    expect(namespaces).toEqual(expected);
    expect(settings).toEqual({});
  });

  test('an invalid name of a namespace is refused', () => {
    expect(refusal({ namespaces: ['a', 'B'] })).toBe(
      '--namespaces must have names of namespaces, not "B"',
    );
    expect(refusal({}, { KUBERNETES_NAMESPACE: 'a.b' })).toContain('KUBERNETES_NAMESPACE');
    expect(refusal({ namespaces: ['a'.repeat(64)] })).toContain('names of namespaces');
  });

  test('--namespaces-to-ignore and --namespace-selector take effect when all namespaces are watched', () => {
    const { ignoredNamespaces, namespaceSelector, warnings } = options({
      'namespaces-to-ignore': ['kube-system', ' other '],
      'namespace-selector': ['team:red', 'env=*'],
    });

    expect([...ignoredNamespaces]).toEqual(['kube-system', 'other']);
    expect(formatSelector(namespaceSelector ?? [])).toBe('team=red,env');
    expect(warnings).toEqual([]);
  });

  test('--namespaces-to-ignore and --namespace-selector have no effect on a list of namespaces, and are not parsed', () => {
    const values: ArgumentValues = {
      namespaces: ['a'],
      'namespaces-to-ignore': ['a'],
      'namespace-selector': ['not a selector'],
    };

    expect(options(values)).toMatchObject({
      ignoredNamespaces: new Set(),
      namespaceSelector: undefined,
      warnings: [
        '--namespaces-to-ignore has no effect on a list of namespaces',
        '--namespace-selector has no effect on a list of namespaces',
      ],
    });
  });
});

describe('keys of annotations', () => {
  test.each([
    ['auto-annotation', (names: Options['annotations']) => names.auto],
    ['configmap-auto-annotation', (names: Options['annotations']) => names.typedAuto.CONFIGMAP],
    ['secret-auto-annotation', (names: Options['annotations']) => names.typedAuto.SECRET],
    ['configmap-annotation', (names: Options['annotations']) => names.reload.CONFIGMAP],
    ['secret-annotation', (names: Options['annotations']) => names.reload.SECRET],
    ['auto-search-annotation', (names: Options['annotations']) => names.search],
    ['search-match-annotation', (names: Options['annotations']) => names.match],
    ['ignore-annotation', (names: Options['annotations']) => names.ignore],
    ['pause-deployment-annotation', (names: Options['annotations']) => names.pausePeriod],
    ['pause-deployment-time-annotation', (names: Options['annotations']) => names.pausedAt],
  ] as const)('the option --%s changes one annotation key and no other key', (flag, keyOf) => {
    const { annotations } = options({ [flag]: 'example.com/Mine_1' });

    const keys = (names: object): string[] =>
      Object.values(names).flatMap((each) => (typeof each === 'string' ? [each] : keys(each)));
    expect(keyOf(annotations)).toBe('example.com/Mine_1');
    expect(keys(annotations).filter((key) => !keys(DEFAULT_ANNOTATIONS).includes(key))).toEqual([
      'example.com/Mine_1',
    ]);
  });

  test.each([
    'a b',
    'a/b/c',
    '/x',
    'example.com/',
    '-x',
    `x${'y'.repeat(63)}`,
  ])('%j is refused as the key of an annotation', (key) => {
    expect(refusal({ 'auto-annotation': key })).toBe(
      `--auto-annotation must be the key of an annotation, such as example.com/reload, not ${JSON.stringify(key)}`,
    );
  });

  test('with an empty key, the default key is used', () => {
    expect(options({ 'auto-annotation': ' ' }).annotations.auto).toBe(DEFAULT_ANNOTATIONS.auto);
  });
});

describe('flags for durations and numbers that the original operator lacks', () => {
  test.each([
    ['0', 0],
    ['0s', 0],
    ['500ms', 500],
    ['30s', 30_000],
  ])('--debounce=%s is %i ms', (debounce, ms) => {
    expect(options({ debounce }).debounceMs).toBe(ms);
  });

  test.each([
    '31s',
    '-1s',
    '2',
    '',
    'never',
  ])('--debounce=%s is refused when the options are read', (debounce) => {
    expect(refusal({ debounce })).toBe(
      `--debounce must be a duration such as 90s, 5m or 1h30m, from 0s to 30s, not ${JSON.stringify(debounce)}`,
    );
  });

  test('--alert-timeout accepts values from 100 ms to 5 minutes', () => {
    expect(options({ 'alert-timeout': '1m' }).alertTimeoutMs).toBe(60_000);
    for (const text of ['0', '99ms', '301s']) {
      expect(refusal({ 'alert-timeout': text })).toContain('from 0.1s to 5m');
    }
  });

  test.each([
    ['10', undefined, { perSecond: 10, burst: 10 }],
    ['0.5', undefined, { perSecond: 0.5, burst: 1 }],
    ['2.5', undefined, { perSecond: 2.5, burst: 3 }],
    ['1000', '10000', { perSecond: 1_000, burst: 10_000 }],
    ['0.001', '5', { perSecond: 0.001, burst: 5 }],
    ['0', undefined, undefined],
    ['0.0', undefined, undefined],
  ])('--rollouts-per-second=%s and --rollout-burst=%s are accepted', (rate, burst, expected) => {
    const given = { 'rollouts-per-second': rate, 'rollout-burst': burst };

    expect(options(given)).toMatchObject({ throttle: expected, warnings: [] });
  });

  test.each([
    '-1',
    '1e3',
    '1001',
    'x',
    '',
    '.5',
    '0.0001',
    'Infinity',
  ])('--rollouts-per-second=%s is refused when the options are read', (rate) => {
    expect(refusal({ 'rollouts-per-second': rate })).toContain('from 0.001 to 1000');
  });

  test('--rollout-burst must be a whole number, and without a rate it causes a warning', () => {
    for (const burst of ['0', '-1', '1.5', '10001', 'x']) {
      expect(refusal({ 'rollouts-per-second': '1', 'rollout-burst': burst })).toContain(
        'a whole number from 1 to 10000',
      );
    }
    expect(options({ 'rollout-burst': '5' }).warnings).toEqual([
      '--rollout-burst has no effect without --rollouts-per-second',
    ]);
  });

  test('the value of --order-label must be a valid key of a label', () => {
    expect(options({ 'order-label': 'example.com/order' }).orderLabel).toBe('example.com/order');
    expect(options({ 'order-label': '' }).orderLabel).toBeUndefined();
    expect(refusal({ 'order-label': 'a=b' })).toContain('--order-label must be the key of a label');
  });
});
