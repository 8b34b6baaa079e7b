/** Values of the chart of the original as arguments and variables: a golden table. */
import type { coreV1 } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { ARGUMENTS, type ArgumentValues, type Environment } from '../../contract/arguments.ts';
import { type ChartResult, chartArguments, chartTable } from '../../contract/chart.ts';
import { CHART_ROWS, MANIFEST_VALUES } from '../../contract/chart-rows.ts';
import { optionsOf } from '../../contract/options.ts';

const RELEASE = { namespace: 'tools', name: 'reloader' };

const field = (name: string, fieldPath: string): coreV1.EnvVar => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
});
const ALWAYS = [
  field('RELOADER_NAMESPACE', 'metadata.namespace'),
  { name: 'RELOADER_DEPLOYMENT_NAME', value: 'reloader' },
];

/** Values under `reloader`, and what they add to what every release has. */
function given(reloader: unknown, more: object = {}): ChartResult {
  const result = chartArguments({ ...more, reloader }, RELEASE);
  expect(result.environment.slice(-2)).toEqual(ALWAYS);
  return { ...result, environment: result.environment.slice(0, -2) };
}

/** The result as the operator reads it, by the words of the table of arguments. */
function started({ args, environment }: ChartResult): ReturnType<typeof optionsOf> {
  const types: Readonly<Record<string, { type: string }>> = ARGUMENTS;
  const values = args.map((arg): [string, unknown] => {
    const [, name = '', text = ''] = /^--([^=]+)=(.*)$/s.exec(arg) ?? [];
    const type = types[name]?.type;
    expect(type).toBeDefined();
    if (type === 'boolean') return [name, text === 'true'];
    return [name, type === 'list' ? text.replaceAll('"', '').split(',') : text];
  });
  const variables: Environment = Object.fromEntries(
    environment.map(({ name, value }) => [name, value ?? 'from-the-pod']),
  );
  return optionsOf(Object.fromEntries(values) as ArgumentValues, variables);
}

const POD = [field('POD_NAME', 'metadata.name'), field('POD_NAMESPACE', 'metadata.namespace')];

/** Values under `reloader` → arguments, and variables if there are any. */
const GOLDEN: readonly (readonly [object, readonly string[], (readonly coreV1.EnvVar[])?])[] = [
  [{}, []],
  [{ autoReloadAll: true }, ['--auto-reload-all=true']],
  [{ autoReloadAll: false }, []],
  [{ isArgoRollouts: true }, ['--is-Argo-Rollouts=true']],
  [{ ignoreSecrets: true }, ['--resources-to-ignore=secrets']],
  [{ ignoreConfigMaps: true }, ['--resources-to-ignore=configmaps']],
  [{ ignoreJobs: true }, ['--ignored-workload-types=jobs']],
  [{ ignoreCronJobs: true }, ['--ignored-workload-types=cronjobs']],
  [{ ignoreJobs: true, ignoreCronJobs: true }, ['--ignored-workload-types=jobs,cronjobs']],
  [{ reloadOnCreate: true }, ['--reload-on-create=true']],
  [{ reloadOnDelete: true }, ['--reload-on-delete=true']],
  [
    { reloadOnCreate: true, syncAfterRestart: true },
    ['--reload-on-create=true', '--sync-after-restart=true'],
  ],
  [{ reloadStrategy: 'default' }, []],
  [{ reloadStrategy: 'env-vars' }, ['--reload-strategy=env-vars']],
  [{ reloadStrategy: 'annotations' }, ['--reload-strategy=annotations']],
  [{ ignoreNamespaces: 'kube-system, default' }, ['--namespaces-to-ignore=kube-system,default']],
  [{ ignoreNamespaces: '' }, []],
  [{ namespaceSelector: 'team:red' }, ['--namespace-selector=team:red']],
  [{ namespaceSelector: 'team:red,env:*' }, ['--namespace-selector="team:red,env:*"']],
  [{ resourceLabelSelector: 'tier=web' }, ['--resource-label-selector=tier=web']],
  [{ logFormat: 'json' }, ['--log-format=json']],
  [{ logLevel: 'debug' }, ['--log-level=debug']],
  [{ watchGlobally: true }, []],
  [{ watchGlobally: false }, [], [field('KUBERNETES_NAMESPACE', 'metadata.namespace')]],
  [{ namespaces: ['b', 'a'] }, ['--namespaces=a,b,tools']],
  [{ watchGlobally: false, namespaces: 'b, tools' }, ['--namespaces=b,tools']],
  [{ enableHA: true }, ['--enable-ha=true'], POD],
  [{ deployment: { replicas: 2 } }, ['--enable-ha=true'], POD],
  [{ deployment: { replicas: 1 } }, []],
  [{ pprofAddr: ':6060' }, []],
  [{ enableCSIIntegration: true }, ['--enable-csi-integration=true']],
  [
    { enableMetricsByNamespace: true },
    [],
    [{ name: 'METRICS_COUNT_BY_NAMESPACE', value: 'enabled' }],
  ],
  [{ enableRestartWindows: true }, ['--enable-restart-windows=true']],
  [{ webhookUrl: 'http://hook/' }, ['--webhook-url=http://hook/']],
  [
    {
      custom_annotations: {
        configmap: 'e.x/c',
        secret: 'e.x/s',
        auto: 'e.x/a',
        configmap_auto: 'e.x/ca',
        secret_auto: 'e.x/sa',
        search: 'e.x/search',
        match: 'e.x/match',
        ignore: 'e.x/ignore',
        pausePeriod: 'e.x/period',
        pauseTime: 'e.x/time',
      },
    },
    [
      '--auto-annotation=e.x/a',
      '--configmap-auto-annotation=e.x/ca',
      '--secret-auto-annotation=e.x/sa',
      '--configmap-annotation=e.x/c',
      '--secret-annotation=e.x/s',
      '--auto-search-annotation=e.x/search',
      '--search-match-annotation=e.x/match',
      '--ignore-annotation=e.x/ignore',
      '--pause-deployment-annotation=e.x/period',
      '--pause-deployment-time-annotation=e.x/time',
    ],
  ],
  [
    {
      deployment: {
        env: {
          open: { ALERT_ON_RELOAD: 'true', ALERT_SINK: 'slack', EMPTY: '' },
          existing: { hooks: { ALERT_WEBHOOK_URL: 'url' } },
          field: { NODE: 'spec.nodeName' },
        },
      },
    },
    [],
    [
      { name: 'ALERT_ON_RELOAD', value: 'true' },
      { name: 'ALERT_SINK', value: 'slack' },
      {
        name: 'ALERT_WEBHOOK_URL',
        valueFrom: { secretKeyRef: { name: 'hooks', key: 'url' } },
      },
      field('NODE', 'spec.nodeName'),
    ],
  ],
];

describe('[reloader 30] values of the chart become arguments and environment variables:', () => {
  test.each(
    GOLDEN,
  )('the chart value %j becomes the expected arguments and variables', (reloader, args, environment = []) => {
    const result = given(reloader);

    expect(result).toMatchObject({ args, environment });
  });

  test.each(
    GOLDEN.filter(([, args]) => args.length > 0),
  )('%j results in arguments that the operator accepts without a warning', (reloader) => {
    expect(started(chartArguments({ reloader }, RELEASE)).warnings).toEqual([]);
  });

  test('the table contains every argument of the original operator, except for arguments that the chart cannot set', () => {
    const passed = new Set(
      GOLDEN.flatMap(([, args]) => args.map((arg) => arg.replace(/^--|=.*$/gs, ''))),
    );
    const names = Object.keys(ARGUMENTS);
    const originals = names.slice(0, names.indexOf('debounce'));

    expect(originals.filter((name) => !passed.has(name))).toEqual([
      'is-argo-rollouts', // the same as --is-Argo-Rollouts
      'enable-pprof', // without effect
      'pprof-addr',
    ]);
  });

  test('several values of the chart become arguments in a fixed order', () => {
    const { args } = given({
      logLevel: 'info',
      webhookUrl: 'http://hook/',
      autoReloadAll: true,
      enableHA: true,
      reloadStrategy: 'annotations',
    });

    expect(args).toEqual([
      '--auto-reload-all=true',
      '--reload-strategy=annotations',
      '--webhook-url=http://hook/',
      '--enable-ha=true',
      '--log-level=info',
    ]);
  });
});

describe('[reloader 30] defects of the original chart are not repeated:', () => {
  test('a selector with several terms keeps all of them', () => {
    const selector = started(given({ namespaceSelector: 'team:red,env:*' })).namespaceSelector;

    expect(selector).toHaveLength(2);
  });

  test('with a list of namespaces, a selector and an ignore list are not passed on, and cause a warning', () => {
    expect(
      given({ namespaces: ['a'], namespaceSelector: 'x', ignoreNamespaces: 'y' }),
    ).toMatchObject({
      args: ['--namespaces=a,tools'],
      warnings: [expect.stringContaining('have no effect on a list of namespaces')],
    });
  });

  test('a chart that ignores both types of resources is refused with a reason', () => {
    expect(() => given({ ignoreSecrets: true, ignoreConfigMaps: true })).toThrow(
      'must not both be true: nothing would be left to watch',
    );
  });
});

describe('chart values that do not become arguments', () => {
  test('a chart value that does not become an argument causes a warning that says where the value belongs', () => {
    const result = chartArguments(
      {
        nameOverride: 'x',
        image: { repository: 'r', tag: 't' },
        reloader: {
          isOpenshift: true,
          enablePProf: true,
          deployment: { nodeSelector: { a: 'b' }, tolerations: [], env: { secret: { A: 'b' } } },
          podMonitor: { enabled: true },
          typo: 1,
        },
      },
      RELEASE,
    );

    expect(result.args).toEqual([]);
    expect(result.environment[0]).toEqual({
      name: 'A',
      valueFrom: { secretKeyRef: { name: 'reloader', key: 'A' } },
    });
    expect(result.warnings).toEqual([
      'reloader.enablePProf has no effect: there is no Go profile',
      'reloader.deployment.env.secret needs the Secret reloader in the overlay',
      'nameOverride changes no argument: the name of the generated manifests',
      'image changes no argument: the image of the operator, in the overlay',
      'reloader.isOpenshift changes no argument: nothing: DeploymentConfigs are not handled',
      'reloader.deployment.nodeSelector changes no argument: a field of the generated manifests: patch it in the overlay',
      'reloader.podMonitor changes no argument: a PodMonitor of the overlay',
      'reloader.typo is no value of the chart',
    ]);
  });

  test('empty chart values result in no arguments and no warnings', () => {
    for (const values of [undefined, null, {}, { reloader: null }]) {
      expect(chartArguments(values, RELEASE)).toEqual({
        args: [],
        environment: ALWAYS,
        warnings: [],
      });
    }
  });
});

describe('a chart value of the wrong type is refused with its name:', () => {
  test.each<[object, string]>([
    [{ autoReloadAll: 'true' }, 'value reloader.autoReloadAll must be true or false'],
    [{ watchGlobally: 1 }, 'value reloader.watchGlobally must be true or false'],
    [{ webhookUrl: ['T0K3N'] }, 'value reloader.webhookUrl must be a string'],
    [{ namespaces: true }, 'value reloader.namespaces must be a list of names'],
    [
      { deployment: { replicas: '2' } },
      'value reloader.deployment.replicas must be a whole number',
    ],
    [
      { deployment: { env: { open: ['T0K3N'] } } },
      'value reloader.deployment.env.open must be a map',
    ],
    [
      { deployment: { env: { open: { A: { b: 'T0K3N' } } } } },
      'value reloader.deployment.env.open.A must be a string',
    ],
    [
      { deployment: { env: { existing: { s: 'T0K3N' } } } },
      'value reloader.deployment.env.existing.s must be a map',
    ],
  ])('the chart value %j is refused, and the error contains its name', (reloader, message) => {
    expect(() => chartArguments({ reloader }, RELEASE)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message }),
    );
  });

  test('chart values that are not a map are refused', () => {
    expect(() => chartArguments(['a'], RELEASE)).toThrow('the values of a chart must be a map');
    expect(() => chartArguments('a', RELEASE)).toThrow('the values of a chart must be a map');
  });
});

test('[reloader 30] the table for the README lists every chart value once', () => {
  const lines = chartTable().trimEnd().split('\n');
  const all = [
    ...CHART_ROWS.flatMap(({ values }) => values),
    ...MANIFEST_VALUES.map(({ value }) => value),
  ];

  expect(lines.slice(0, 2)).toEqual(['| value of the chart | here |', '|---|---|']);
  expect(lines.every((line) => /^\|.*\|.*\|$/.test(line))).toBe(true);
  expect(lines).toContain('| `reloader.autoReloadAll` | `--auto-reload-all=true` |');
  expect(lines.flatMap((line) => line.split('|')[1]?.match(/`[^`]+`/g) ?? []).toSorted()).toEqual(
    all.map((value) => `\`${value}\``).toSorted(),
  );
  expect(new Set(all).size).toBe(all.length);
});
