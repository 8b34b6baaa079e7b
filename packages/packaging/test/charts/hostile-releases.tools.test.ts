/**
 * Names and namespaces of releases, charts within charts, and upgrades: what decides about a release beside values.
 *
 * @module-tag go
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { guaranteesOf } from '../bundle/guarantees.ts';
import {
  isRefused,
  type RenderOptions,
  renderChart,
  rendered,
  renderOnce,
} from '../helm/render-chart.ts';
import { chartOf, keyOf, websiteModel } from './support/charts.ts';

const chart = chartOf(websiteModel());

/** It works on many resources. */
const RELOADER = fileURLToPath(new URL('../../../../examples/reloader/chart', import.meta.url));

const REFUSED: readonly (readonly [string, RenderOptions])[] = [
  ...['.*', 'a|b', 'a/..', 'A', 'a.b', 'a\nb: c', '{{ . }}', '$(A)', '', 'x'.repeat(64)].map(
    (namespace) => ['a namespace', { namespace }] as const,
  ),
  ...['default', 'view'].map(
    (release) => ['a name of Kubernetes', { release, values: { nameOverride: release } }] as const,
  ),
  ['an alias', { subchart: 'Web_Site' }],
  ['an alias', { subchart: 'x'.repeat(64) }],
];

test('a release is refused if its namespace or name contains characters that are not allowed in a name', async () => {
  const results = await renderChart(
    chart,
    REFUSED.map(([, options]) => ({ ...options, skipSchema: true })),
  );

  const layers = results.map((result, at) => [
    REFUSED[at],
    isRefused(result) ? result.layer : 'rendered',
  ]);
  expect(layers).toEqual(REFUSED.map((each) => [each, 'template']));
});

test('a list of namespaces is refused if it makes the filter longer than Linux allows for an argument', async () => {
  const names = Array.from({ length: 500 }, (_, at) => `${at}-`.padEnd(63, 'x'));
  const lengths = [10, 200, 225, 230, 250, 500];

  const results = await renderChart(
    RELOADER,
    lengths.map((length) => ({ values: { watch: { namespaces: names.slice(0, length) } } })),
  );

  const longest = results.map((result) => {
    if (isRefused(result)) return result.layer;
    const { args } = guaranteesOf(result.objects).containers.proxy ?? {};
    return Math.max(...(args as readonly string[]).map(({ length }) => length)) < 131_072;
  });
  expect(longest).toEqual([true, true, true, 'template', 'template', 'template']);
});

test('a chart renders the same objects when it is used alone and as a subchart', async () => {
  const values = { watch: { namespaces: ['shop'] }, manager: { replicas: 2 } };

  const [alone, within] = await renderChart(chart, [
    { release: 'big', values },
    {
      release: 'big',
      subchart: 'website',
      values: {
        // A condition of the other chart reads `enabled`.
        website: { ...values, enabled: true },
        global: { image: { registry: 'evil.example' }, watch: { namespaces: ['.*'] } },
        tags: { all: true },
        other: { fullnameOverride: 'cluster-admin' },
      },
    },
  ]);

  if (alone === undefined || within === undefined) throw new Error('a render is missing');
  expect(rendered(within).objects).toEqual(rendered(alone).objects);
  expect(rendered(within).hooks).toEqual(rendered(alone).hooks);
});

test('a chart refuses the same values when it is used alone and as a subchart', async () => {
  const wrong = [
    { website: { watch: { namespaces: ['.*'] } } },
    { website: { enable: true } },
    { website: { global: 'x' } },
    { website: 'x' },
    { website: { filter: { extra: ['.*'] } } },
  ];

  const results = await renderChart(
    chart,
    wrong.map((values) => ({ subchart: 'website', values })),
  );

  expect(results).toMatchObject([
    { layer: 'schema' },
    { layer: 'schema' },
    { layer: 'schema' },
    { layer: 'values' },
    { layer: 'schema' },
  ]);
});

test('two aliases of one chart in a release share only the definitions', async () => {
  const results = await renderChart(
    chart,
    ['left', 'right'].map((subchart) => ({ release: 'big', subchart })),
  );

  const [left = [], right = []] = results.map((result) => rendered(result).objects);
  const shared = left.map(keyOf).filter((key) => right.map(keyOf).includes(key));
  expect(shared).toEqual(['CustomResourceDefinition//websites.example.dev']);
  expect(selectorOf(left)).not.toEqual(selectorOf(right));
});

test('an upgrade never changes the selector, even if the name of the Deployment stays', async () => {
  const release = 'website-prod';
  const upgrades = [
    { nameOverride: 'prod' },
    { fullnameOverride: 'other' },
    { nameOverride: 'site', fullnameOverride: release },
    { manager: { pod: { labels: { tier: 'web' } } }, highAvailability: true },
    { rbac: { namespaced: true }, transport: 'unixSocket', nativeSidecar: true },
  ];

  const results = await renderChart(chart, [
    { release },
    ...upgrades.map((values) => ({ release, values, isUpgrade: true })),
  ]);

  const [first, ...others] = results.map((result) => selectorOf(rendered(result).objects));
  expect(first).toEqual({
    'app.kubernetes.io/name': 'website',
    'app.kubernetes.io/instance': release,
  });
  expect(others).toEqual(upgrades.map(() => first));
});

test("[packaging 4] the operator's own namespace may be one of the watched namespaces", async () => {
  const { objects } = await renderOnce(chart, {
    release: 'website',
    namespace: 'website',
    values: { watch: { namespaces: ['website', 'shop'] } },
  });

  const keys = objects.map(keyOf);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  expect(keys.filter((key) => /^ClusterRole/.test(key))).toEqual([]);
  const { rules } = guaranteesOf(objects);
  expect(new Set(rules.map(({ namespace }) => namespace))).toEqual(new Set(['website', 'shop']));
});

test('[packaging 8] the Pod of `helm test` runs on the same nodes as the operator', async () => {
  const manager = {
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    tolerations: [{ key: 'infra', operator: 'Exists' }],
  };

  const { hooks } = await renderOnce(chart, {
    values: { manager, proxy: { image: { pullPolicy: 'Never' } } },
  });

  const pod = hooks.find(({ kind }) => kind === 'Pod');
  expect(pod).toMatchObject({ spec: { ...manager, containers: [{ imagePullPolicy: 'Never' }] } });
});

test("the title of a chart's README.md is the operator's name", () => {
  const readme = chart.find(({ path }) => path === 'README.md')?.text ?? '';

  expect(readme.split('\n').find((line) => /^[^<\s]/.test(line))).toBe('# website');
  expect(readme).not.toMatch(/\n\n\n/);
});

function selectorOf(objects: readonly object[]): unknown {
  const deployment = objects.find((each) => (each as { kind: string }).kind === 'Deployment');
  return (deployment as { spec: { selector: { matchLabels: unknown } } }).spec.selector.matchLabels;
}
