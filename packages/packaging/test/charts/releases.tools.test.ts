/**
 * Names of releases, several releases in one cluster, and what is in a chart for people and catalogs.
 *
 * @module-tag go
 */
import { expect, test } from 'vitest';
import { ConfigurationError } from '../../../../operator/core/errors.ts';
import { parseYaml } from '../../../../operator/core/yaml.ts';
import type { OperatorModel } from '../../../../operator/generate/manifests/operator-model.ts';
import { isDnsLabel } from '../../../../operator/model/dns-name.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { chartFiles } from '../../src/chart/chart.ts';
import { lintAsCt } from '../helm/lint-as-ct.ts';
import { lintChart } from '../helm/lint-chart.ts';
import { renderChart, rendered } from '../helm/render-chart.ts';
import { chartOf, keyOf, METADATA, websiteModel } from './support/charts.ts';

const WATCHING = { watch: { namespaces: ['shop', 'blog'] } };

test('[packaging 4] two releases that watch the same namespaces share only the definitions', async () => {
  const results = await renderChart(chartOf(websiteModel()), [
    { release: 'website', namespace: 'left', values: WATCHING },
    { release: 'website', namespace: 'right', values: { ...WATCHING, crd: { enabled: false } } },
  ]);

  const [left = [], right = []] = results.map((result) => rendered(result).objects);
  const cluster = [...left, ...right].filter(({ metadata }) => metadata.namespace === undefined);
  expect(cluster.map(keyOf)).toEqual(['CustomResourceDefinition//websites.example.dev']);
  const keys = [...left, ...right].map(keyOf);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  const roles = keys.filter((key) => /^Role\/(shop|blog)\//.test(key));
  expect(roles).toHaveLength(4);
});

test('[packaging 4] two releases never get equal names in a watched namespace', async () => {
  const releases = [
    { release: 'website-a', namespace: 'b-c' },
    { release: 'website-a-b', namespace: 'c' },
  ];

  const results = await renderChart(
    chartOf(websiteModel()),
    releases.map((each) => ({ ...each, values: WATCHING })),
  );

  const roles = results.flatMap((result) =>
    rendered(result)
      .objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace === 'shop')
      .map(keyOf),
  );
  expect(new Set(roles).size).toBe(2);
});

const LONG = 'website-with-a-name-as-long-as-helm-lets-it-be-012345';

test.each([
  ['a release', { release: LONG }, /^website-with-a-name-as-long-as-helm-lets-it-[0-9a-f]{8}$/],
  ['a release with dots', { release: 'a.website.b' }, /^a-website-b$/],
  ['another release', { release: 'blue' }, /^blue-website$/],
  ['an override', { values: { nameOverride: 'site' }, release: 'blue' }, /^blue-site$/],
  ['the value fullnameOverride', { values: { fullnameOverride: '017' } }, /^017$/],
  [
    'the longest override',
    { values: { nameOverride: 'x'.repeat(52) }, release: 'blue' },
    /^blue-x{38}-[0-9a-f]{8}$/,
  ],
])('[packaging 5] the name that is made from %s is valid, and the same in all objects', async (_, options, wanted) => {
  const [result] = await renderChart(chartOf(websiteModel()), [{ namespace: 'place', ...options }]);

  if (result === undefined) throw new Error('a render is missing');
  const { objects, hooks } = rendered(result);
  const deployment = only(objects, 'Deployment') as OperatorModel['deployment'];
  const { name } = deployment.metadata;
  expect(name).toMatch(wanted);
  expect(isDnsLabel(name, 52)).toBe(true);
  const { spec } = deployment;
  const [proxy, operator] = spec.template.spec.containers;
  expect(spec.template.spec.serviceAccountName).toBe(name);
  expect(only(objects, 'ServiceAccount').metadata.name).toBe(name);
  expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  const lease = operator?.env?.find((each) => each.name === 'CHANCERY_LEASE_NAME')?.value;
  expect(lease).toBe(`${name}-leader`);
  expect(proxy?.args?.join(' ')).toContain(`/leases(/${name}-leader)?$`);
  const election = only(objects, 'Role') as KubernetesObject & {
    readonly rules: readonly { readonly resourceNames?: readonly string[] }[];
  };
  expect(election.metadata.name).toBe(`${name}-election`);
  expect(election.rules.flatMap(({ resourceNames = [] }) => resourceNames)).toEqual([lease]);
  const service = only(hooks, 'Service') as KubernetesObject & {
    readonly spec: { readonly selector: object };
  };
  expect(service.spec.selector).toEqual(spec.selector.matchLabels);
  for (const value of Object.values(spec.selector.matchLabels)) {
    expect(value.length).toBeLessThanOrEqual(63);
  }
});

test("[packaging 8] `helm test` checks readiness with a Pod that has no token and that the operator's selectors do not match", async () => {
  const [result] = await renderChart(chartOf(websiteModel()), [
    { release: 'website', namespace: 'website' },
  ]);

  if (result === undefined) throw new Error('a render is missing');
  const { objects, hooks } = rendered(result);
  const pod = only(hooks, 'Pod') as KubernetesObject & {
    readonly spec: OperatorModel['deployment']['spec']['template']['spec'];
  };
  expect(hooks.map(({ kind, metadata }) => [kind, metadata.annotations?.['helm.sh/hook']])).toEqual(
    [
      ['Service', 'test'],
      ['Pod', 'test'],
    ],
  );
  expect(pod.spec).toMatchObject({ automountServiceAccountToken: false });
  expect(pod.spec.serviceAccountName).toBeUndefined();
  expect(pod.spec.volumes).toBeUndefined();
  const { spec } = only(objects, 'Deployment') as OperatorModel['deployment'];
  const [container] = pod.spec.containers;
  expect(container?.securityContext).toEqual(spec.template.spec.containers[0]?.securityContext);
  expect(container?.command).toEqual([
    ...['/kubectl', '--server=http://test-website.website.svc:8081', 'get', '--raw=/readyz'],
    '--request-timeout=5s',
  ]);
  const selected = Object.entries(spec.selector.matchLabels);
  const labels = pod.metadata.labels ?? {};
  expect(selected.some(([name, value]) => labels[name] !== value)).toBe(true);
});

test('[packaging 3] the default values are valid, and unknown keys and wrong types are refused', async () => {
  const wrong = [
    { replicas: 1 },
    { manager: { replicas: '1' } },
    { manager: { image: 'website' } },
    { crd: { enable: true } },
    { transport: 'udp' },
    { nativeSidecar: 'true' },
    { filter: { extra: ['^/'] } },
    { rbac: { extraRules: [] } },
    { serviceAccount: { name: 'admin' } },
  ];

  const [plain, part, ...refused] = await renderChart(chartOf(websiteModel()), [
    {},
    { values: { global: { registry: 'x' } } },
    ...wrong.map((values) => ({ values })),
  ]);

  if (plain === undefined || part === undefined) throw new Error('a render is missing');
  expect(rendered(plain).objects).toEqual(rendered(part).objects);
  expect(refused.map((each) => ('layer' in each ? each.layer : 'none'))).toEqual(
    wrong.map(() => 'schema'),
  );
  expect(refused[3]).toMatchObject({ message: expect.stringContaining('`enabled`') });
});

test('[packaging 21] the annotations for Artifact Hub are valid YAML and list the content of the chart', async () => {
  const metadata = {
    ...METADATA,
    version: '2.0.0-rc.1',
    license: 'Apache-2.0',
    links: [{ name: 'docs: "all"', url: 'https://example.dev/?a=b#c' }],
    artifactHubCategory: 'networking',
    capabilities: 'Basic Install',
  };
  const chart = chartOf(websiteModel(), metadata);
  const { annotations, ...head } = parseYaml(textOf(chart, 'Chart.yaml')) as {
    readonly annotations: Readonly<Record<string, string>>;
    readonly appVersion: string;
  };
  const yamlOf = (name: string): unknown => parseYaml(annotations[`artifacthub.io/${name}`] ?? '');

  expect(head).toMatchObject({ name: 'website', version: '2.0.0-rc.1', appVersion: '2.0.0-rc.1' });
  expect(Object.values(annotations).every((each) => typeof each === 'string')).toBe(true);
  const [plain] = await renderChart(chart, [{ release: 'website', namespace: 'website' }]);
  if (plain === undefined) throw new Error('a render is missing');
  const { objects } = rendered(plain);
  const shown = yamlOf('crds') as readonly { readonly name: string; readonly kind: string }[];
  // A definition has an entry for each of its versions.
  expect([...new Set(shown.map(({ name }) => name))]).toEqual(
    objects
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(({ metadata: { name } }) => name),
  );
  expect(shown).toMatchObject(
    ['v1', 'v1alpha1'].map((version) => ({ kind: 'Website', version, displayName: 'Website' })),
  );
  const { containers } = (only(objects, 'Deployment') as OperatorModel['deployment']).spec.template
    .spec;
  expect(yamlOf('images')).toEqual(containers.map(({ name, image }) => ({ name, image })));
  expect(yamlOf('links')).toEqual(metadata.links);
  expect(yamlOf('maintainers')).toEqual(METADATA.maintainers);
  expect(annotations).toMatchObject({
    'artifacthub.io/operator': 'true',
    'artifacthub.io/prerelease': 'true',
    'artifacthub.io/license': 'Apache-2.0',
    'artifacthub.io/category': 'networking',
    'artifacthub.io/operatorCapabilities': 'Basic Install',
  });
});

test('[packaging 22] a chart with pinned images contains both images by digest, in the Deployment and in the annotations', async () => {
  const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
  const images = {
    ambassador: `registry.example:5000/chancery-proxy@${digest('a')}`,
    operator: `registry.example:5000/website:1.0.0@${digest('b')}`,
  };
  const options = { command: 'npm run generate', pin: true };
  const chart = chartFiles(websiteModel({ images }), METADATA, options);
  const half = websiteModel({ images: { ...images, operator: 'website:1.0.0' } });

  const [plain] = await renderChart(chart, [{}]);

  if (plain === undefined) throw new Error('a render is missing');
  const { spec } = only(rendered(plain).objects, 'Deployment') as OperatorModel['deployment'];
  const { containers } = spec.template.spec;
  expect(containers.map(({ image }) => image)).toEqual([images.ambassador, images.operator]);
  const head = parseYaml(textOf(chart, 'Chart.yaml')) as {
    readonly annotations: Readonly<Record<string, string>>;
  };
  expect(parseYaml(head.annotations['artifacthub.io/images'] ?? '')).toEqual(
    containers.map(({ name, image }) => ({ name, image })),
  );
  expect(() => chartFiles(half, METADATA, options)).toThrow(ConfigurationError);
});

test('the chart passes `helm lint` and `ct lint`', async () => {
  const chart = chartOf(websiteModel());

  const findings = await lintChart(chart);

  expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  expect(await lintAsCt(chart)).toEqual([]);
});

test('generating twice writes the same files, and each file mentions the program that generated it', () => {
  const chart = chartOf(websiteModel());

  expect(chartOf(websiteModel())).toEqual(chart);
  for (const { path, text } of chart) {
    expect(`${path}: ${text.slice(0, 60)}`).toMatch(/: .*Generated by `npm run generate`/s);
  }
});

function textOf(
  files: readonly { readonly path: string; readonly text: string }[],
  wanted: string,
): string {
  const found = files.find(({ path }) => path === wanted);
  if (found === undefined) throw new Error(`there is no ${wanted}`);
  return found.text;
}

function only(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const [found] = objects.filter((object) => object.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}
