/**
 * A chart renders what kustomize renders. The model is compared with kustomize itself elsewhere.
 *
 * @module-tag go
 */
import { expect, test } from 'vitest';
import { COMPONENT_NAMES } from '../../../../operator/generate/manifests/component-model.ts';
import {
  type OperatorModel,
  operatorModel,
  type Scope,
} from '../../../../operator/generate/manifests/operator-model.ts';
import { renderedObjects } from '../../../../operator/generate/manifests/rendered-objects.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { COMBINATIONS, SCOPES } from '../../../../test/manifests/support/combinations.ts';
import { SITE, WEBSITE } from '../../../../test/manifests/support/trees.ts';
import { renderChart, rendered } from '../helm/render-chart.ts';
import {
  API_SERVER,
  chartOf,
  comparable,
  keyOf,
  valuesOf,
  websiteModel,
} from './support/charts.ts';

const SAME = { release: 'website', namespace: 'website' };

test('[I-6] [packaging 1] [packaging 7] [packaging 9] the chart renders the same objects as kustomize for every combination of values', async () => {
  const model = websiteModel();
  const combinations = COMBINATIONS.map((combination) => ({
    scope: scopeOf(combination),
    components: COMPONENT_NAMES.filter((name) => combination.includes(name)),
  }));

  const results = await renderChart(
    chartOf(model),
    combinations.map(({ scope, components }) => ({ ...SAME, values: valuesOf(scope, components) })),
  );

  expect(results).toHaveLength(128);
  for (const [at, { scope, components }] of combinations.entries()) {
    const result = results[at];
    if (result === undefined) throw new Error('a render is missing');
    const expected = withApiServer(renderedObjects(model, { scope, components }));
    expect({ scope, components, objects: comparable(rendered(result).objects) }).toEqual({
      ...{ scope, components },
      objects: comparable(expected),
    });
  }
});

test('[packaging 1] the chart renders the cluster-scoped overlay with values.yaml, and another overlay with each file in ci/', async () => {
  const model = websiteModel();
  const chart = chartOf(model);
  const texts = Object.fromEntries(
    chart.flatMap(({ path, text }) => (path.startsWith('ci/') ? [[path, text] as const] : [])),
  );
  const expected = {
    '': renderedObjects(model, { scope: 'cluster-scoped' }),
    'ci/namespaced-values.yaml': renderedObjects(model, { scope: 'namespaced' }),
    'ci/hardened-values.yaml': renderedObjects(model, {
      scope: 'cluster-scoped',
      components: ['network-policy', 'unix-socket', 'native-sidecar'],
    }),
    'ci/observed-values.yaml': [
      ...renderedObjects(model, {
        scope: 'cluster-scoped',
        components: ['debug', 'high-availability', 'prometheus'],
      }),
      ...Object.values(model.monitoring),
    ],
  };

  expect(Object.keys(texts).sort()).toEqual(Object.keys(expected).sort().slice(1));
  const names = Object.keys(expected);
  const results = await renderChart(
    chart,
    names.map((name) => ({ ...SAME, values: texts[name] ?? {} })),
  );
  const shown = results.map((result) => comparable(rendered(result).objects.map(withoutApiServer)));
  const wanted = Object.values(expected).map((objects) =>
    comparable(objects.map(withoutApiServer)),
  );
  expect(shown).toEqual(wanted);
});

test('[packaging 7] a value for namespaces limits roles and filter as if the operator had declared these namespaces', async () => {
  const placements = [['b'], ['zeta', 'alpha', 'website']];
  const chart = chartOf(websiteModel());

  const results = await renderChart(
    chart,
    placements.map((namespaces) => ({ ...SAME, values: { watch: { namespaces } } })),
  );

  for (const [at, namespaces] of placements.entries()) {
    const result = results[at];
    if (result === undefined) throw new Error('a render is missing');
    const watched = namespaces.toSorted();
    const named = operatorModel([SITE], { ...WEBSITE.options, watched });
    const { objects } = rendered(result);
    expect(rulesByPlace(objects)).toEqual(
      rulesByPlace(renderedObjects(named, { scope: 'namespaced' })),
    );
    expect(argumentsOf(objects)).toEqual(named.scopes.namespaced.proxyArguments);
    expect(variablesOf(objects).WATCH_NAMESPACE).toBe(watched.join(','));
  }
});

test("the chart has no value for watched namespaces if the operator's arguments set these namespaces", async () => {
  const model = websiteModel({ watched: ['shop', 'blog'] });
  const chart = chartOf(model);

  const [plain, refused] = await renderChart(chart, [
    SAME,
    { ...SAME, values: { watch: { namespaces: ['shop'] } } },
  ]);

  if (plain === undefined) throw new Error('a render is missing');
  const expected = renderedObjects(model, { scope: 'cluster-scoped' });
  // A chart names rights outside of its namespace after the release and that namespace.
  const names = JSON.stringify(rendered(plain).objects).replaceAll(
    '"website.website"',
    '"website"',
  );
  expect(comparable(JSON.parse(names))).toEqual(comparable(expected));
  expect(refused).toMatchObject({ layer: 'schema' });
});

test('an operator without leader election always has one replica, whatever the values are', async () => {
  const model = websiteModel({ leaderElection: false });
  const many = { manager: { replicas: 2 } };

  const [plain, ...refused] = await renderChart(chartOf(model), [
    SAME,
    { ...SAME, values: many },
    { ...SAME, values: many, skipSchema: true },
    { ...SAME, values: { highAvailability: true } },
  ]);

  if (plain === undefined) throw new Error('a render is missing');
  const expected = renderedObjects(model, { scope: 'cluster-scoped' });
  // A chart names rights outside of its namespace after the release and that namespace.
  const names = JSON.stringify(rendered(plain).objects).replaceAll(
    '"website.website"',
    '"website"',
  );
  expect(comparable(JSON.parse(names))).toEqual(comparable(expected));
  expect(refused).toMatchObject([{ layer: 'schema' }, { layer: 'template' }, { layer: 'schema' }]);
});

test('[packaging 9] with `nativeSidecar: auto`, the ambassador is a native sidecar if Kubernetes has stable native sidecars', async () => {
  const versions = ['1.30.0', '1.32.9', '1.33.0-eks-5', '1.33.0', '1.36.2'];

  const results = await renderChart(
    chartOf(websiteModel()),
    versions.map((kubeVersion) => ({ ...SAME, kubeVersion, values: { nativeSidecar: 'auto' } })),
  );

  const sidecars = results.map((result) => {
    const { spec } = deploymentOf(rendered(result).objects).spec.template;
    return (spec.initContainers ?? []).map(({ name }) => name);
  });
  expect(sidecars).toEqual([[], [], ['proxy'], ['proxy'], ['proxy']]);
});

function scopeOf(combination: readonly string[]): Scope {
  const [scope] = SCOPES.filter((each) => combination.includes(each));
  if (scope === undefined) throw new Error('a combination without a scope');
  return scope;
}

type Json = Record<string, unknown>;

/** kustomize leaves it to an overlay where the API server is. */
function withApiServer(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return objects.map((object) => withEgress(object, [{ ipBlock: { cidr: API_SERVER } }]));
}

function withoutApiServer(object: KubernetesObject): KubernetesObject {
  return withEgress(object, []);
}

function withEgress(object: KubernetesObject, to: readonly object[]): KubernetesObject {
  if (object.kind !== 'NetworkPolicy') return object;
  const { spec } = object as unknown as { readonly spec: { readonly egress: readonly Json[] } };
  const egress = spec.egress.map((rule) => ({ ...rule, to }));
  return { ...object, spec: { ...spec, egress } } as unknown as KubernetesObject;
}

function deploymentOf(objects: readonly KubernetesObject[]): OperatorModel['deployment'] {
  const [found] = objects.filter(({ kind }) => kind === 'Deployment');
  if (found === undefined) throw new Error('there is no Deployment');
  return found as OperatorModel['deployment'];
}

function argumentsOf(objects: readonly KubernetesObject[]): readonly string[] | undefined {
  const { containers } = deploymentOf(objects).spec.template.spec;
  return containers.find(({ name }) => name === 'proxy')?.args;
}

function variablesOf(objects: readonly KubernetesObject[]): Readonly<Record<string, unknown>> {
  const { containers } = deploymentOf(objects).spec.template.spec;
  const env = containers.find(({ name }) => name === 'operator')?.env ?? [];
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

/** What the ServiceAccount may do where, found through the bindings. Names of roles do not matter. */
function rulesByPlace(objects: readonly KubernetesObject[]): Readonly<Record<string, unknown>> {
  const account = { kind: 'ServiceAccount', name: 'website', namespace: 'website' };
  const bindings = objects.filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind));
  const granted = bindings.map((binding) => {
    const { roleRef, subjects } = binding as KubernetesObject & {
      readonly roleRef: { readonly kind: string; readonly name: string };
      readonly subjects: readonly object[];
    };
    expect(subjects).toEqual([account]);
    const namespace = roleRef.kind === 'Role' ? binding.metadata.namespace : undefined;
    const wanted = `${roleRef.kind}/${namespace ?? ''}/${roleRef.name}`;
    const role = objects.find((object) => keyOf(object) === wanted) as
      | (KubernetesObject & { readonly rules: unknown })
      | undefined;
    const isElection = roleRef.name.endsWith('-election');
    return [`${namespace ?? '*'}${isElection ? ' election' : ''}`, role?.rules] as const;
  });
  expect(new Set(granted.map(([place]) => place)).size).toBe(granted.length);
  return Object.fromEntries(granted);
}
