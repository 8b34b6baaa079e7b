/**
 * Values are written by people who may not have written the operator: whatever they contain, the chart renders the
 * same rights, filter, mounts and arguments, and no weaker Pod; or nothing.
 *
 * @module-tag go
 */
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { operatorModel } from '../../../../operator/generate/manifests/operator-model.ts';
import { isDnsLabel } from '../../../../operator/model/dns-name.ts';
import { options, SITE } from '../../../../test/manifests/support/trees.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { chartFiles } from '../../src/chart/chart.ts';
import { podSpecOf } from '../bundle/guarantees.ts';
import { attack, choicesIn, harmIn, signatureOf } from './damage.ts';
import { filesOf, isRefused, renderChart, rendered } from './render-chart.ts';
import { type Place, schemaPlaces } from './schema-places.ts';
import { HOSTILE, mutatedValues, valuesArbitrary } from './values-arbitrary.ts';

type Json = Readonly<Record<string, unknown>>;

const chart = chartFiles(
  operatorModel([SITE], options({ name: 'website' })),
  { version: '1.2.3', maintainers: [{ name: 'Eve' }] },
  { command: 'npm run generate' },
);
const schema = JSON.parse(filesOf(chart)['values.schema.json'] ?? '{}') as Json;
const places = schemaPlaces(schema);

/** Their values are names, which may be any DNS label. */
const NAMES = ['nameOverride', 'fullnameOverride', 'watch.namespaces[]'];
const namePlaces = places.filter(({ path }) => NAMES.includes(path));
/** Thousands of renders, which a slow machine needs some time for. Nothing waits. */
vi.setConfig({ testTimeout: 240_000 });

const CONFUSED = [null, '', true, 0, 12.5, [], {}, ['x'], { a: 'b' }, [{ name: 'x' }]];

const WORST = HOSTILE.filter((text) => /\n|\{\{ \.|^: $|^$|a{300}|<</.test(text));

/** What the chart renders when each of its flags and words is chosen by itself. */
async function legitimate(): Promise<ReadonlySet<string>> {
  const chosen = places.flatMap(({ path, put }) =>
    choicesAt(path).map((each) => put(each) as object),
  );
  const results = await renderChart(
    chart,
    [{}, ...chosen].map((values) => ({ values, skipSchema: true })),
  );
  return new Set(results.flatMap((each) => (isRefused(each) ? [] : [signatureOf(each)])));
}

function choicesAt(path: string): readonly unknown[] {
  const node = path.split('.').reduce<Json | undefined>((at, key) => {
    const { properties = {} } = at ?? {};
    return (properties as Readonly<Record<string, Json>>)[key];
  }, schema);
  if (Array.isArray(node?.enum)) return node.enum as unknown[];
  return node?.type === 'boolean' ? [true, false] : [];
}

test('[I-7] [packaging 7] even without its schema, the chart renders any string in any value only as that string', async () => {
  const others = places.filter((place) => !namePlaces.includes(place));

  const { damages, kept } = await attack(chart, others, textsAt, await legitimate());

  expect(damages).toEqual([]);
  // Not because everything is refused: where any text may stand it comes out as it was.
  expect([...kept]).toEqual(
    expect.arrayContaining(['manager.env[].value', 'manager.pod.annotations{}']),
  );
});

/** The worst texts at every place, and each of the others at every eighth. */
function textsAt(place: Place): readonly string[] {
  const at = places.indexOf(place);
  return HOSTILE.filter((text, index) => WORST.includes(text) || (at + index) % 8 === 0);
}

/** Nothing at every place, and each of the other types at every third. */
function typesAt(place: Place): readonly unknown[] {
  const at = places.indexOf(place);
  return CONFUSED.filter((value, index) => !value || (at + index) % 3 === 0);
}

test('[packaging 7] even without its schema, the chart lets no value of a wrong type change permissions', async () => {
  const named = { watch: { namespaces: ['x'] } };
  const [listed] = await renderChart(chart, [{ values: named }]);
  if (listed === undefined) throw new Error('a render is missing');
  const expected = new Set([...(await legitimate()), signatureOf(rendered(listed))]);

  const { damages } = await attack(chart, places, typesAt, expected);

  expect(damages).toEqual([]);
});

test.each(
  NAMES,
)('[packaging 5] %s in the rendered chart is a DNS label, or the chart refuses to render', async (path) => {
  const place = placeAt(path);
  const names = [
    ...HOSTILE,
    'a',
    'a-1',
    'Upper',
    'a.b',
    '-a',
    'a-',
    'x'.repeat(52),
    'x'.repeat(64),
  ];
  const values = names.map((name) => place.put(name) as object);

  const [withSchema, without] = await Promise.all([
    renderChart(
      chart,
      values.map((each) => ({ values: each })),
    ),
    renderChart(
      chart,
      values.map((each) => ({ values: each, skipSchema: true })),
    ),
  ]);

  const limit = path === 'watch.namespaces[]' ? 63 : 52;
  const isFit = (name: string): boolean =>
    isDnsLabel(name, limit) || (name === '' && path !== 'watch.namespaces[]');
  const wanted = names.map((name) => [name, isFit(name)]);
  expect(withSchema.map((each, at) => [names[at], !isRefused(each)])).toEqual(wanted);
  expect(without.map((each, at) => [names[at], !isRefused(each)])).toEqual(wanted);
});

test('[I-7] [packaging 7] values that the schema allows never change permissions, filter, mounts or arguments', async () => {
  const values = valuesArbitrary(schema) as fc.Arbitrary<object>;
  const counts = { rendered: 0, all: 0 };

  await fc.assert(
    fc.asyncProperty(fc.array(values, { minLength: 5, maxLength: 5 }), async (given) => {
      const results = await renderChart(chart, given.flatMap(withItsChoices));
      for (const at of given.keys()) {
        counts.all++;
        const [all, choices] = [results[at * 2], results[at * 2 + 1]];
        if (all === undefined || choices === undefined || isRefused(all)) continue;
        counts.rendered++;
        expect(harmIn(all, new Set([signatureOf(rendered(choices))]))).toBe(undefined);
      }
    }),
    propertyRuns(0.2),
  );

  expect(counts.rendered).toBeGreaterThan(counts.all / 10);
});

test('[packaging 7] even without its schema, the chart never changes permissions because of wrong values at one or two places', async () => {
  const values = mutatedValues(schema, places, [...HOSTILE, ...CONFUSED]);
  const counts = { rendered: 0, all: 0 };

  await fc.assert(
    fc.asyncProperty(fc.array(values, { minLength: 10, maxLength: 10 }), async (given) => {
      const results = await renderChart(
        chart,
        given.flatMap((each) => withItsChoices(each).map((one) => ({ ...one, skipSchema: true }))),
      );
      for (const at of given.keys()) {
        counts.all++;
        const [all, choices] = [results[at * 2], results[at * 2 + 1]];
        if (all === undefined || choices === undefined || isRefused(all)) continue;
        counts.rendered++;
        expect(harmIn(all, new Set([signatureOf(rendered(choices))]))).toBe(undefined);
      }
    }),
    propertyRuns(0.1),
  );

  expect(counts.rendered).toBeGreaterThan(0);
});

/** The render of values, and that of only those that choose something. */
function withItsChoices(values: object): Parameters<typeof renderChart>[1] {
  const choices = choicesIn(values, schema, schema) as object;
  return [{ values }, { values: choices, skipSchema: true }];
}

test.each([
  ['volumes', { manager: { volumes: [{ name: 'x', hostPath: { path: '/' } }] } }],
  ['mounts', { manager: { volumeMounts: [{ name: 'token', mountPath: '/x' }] } }],
  ['arguments of the ambassador', { proxy: { args: ['--disable-filter=true'] } }],
  ['arguments of the operator', { manager: { args: ['--api-url', 'http://evil.example'] } }],
  ['rules', { rbac: { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] } }],
  ['filter', { filter: { extra: ['^/.*'] } }],
  ['the network of the node', { manager: { hostNetwork: true } }],
])('[packaging 7] the chart has no value for %s', async (_what, values) => {
  const [strict, plain, skipped] = await renderChart(chart, [
    { values },
    {},
    { values, skipSchema: true },
  ]);

  expect(strict).toMatchObject({ layer: 'schema' });
  if (plain === undefined || skipped === undefined) throw new Error('a render is missing');
  expect(rendered(skipped).objects).toEqual(rendered(plain).objects);
});

test.each([
  ['privileged', true],
  ['allowPrivilegeEscalation', true],
  ['readOnlyRootFilesystem', false],
  ['runAsNonRoot', false],
  ['runAsUser', 0],
  ['capabilities', { add: ['SYS_ADMIN'] }],
  ['seccompProfile', { type: 'Unconfined' }],
  ['appArmorProfile', { type: 'Unconfined' }],
  ['procMount', 'Unmasked'],
  ['seLinuxOptions', { type: 'spc_t' }],
  ['seLinuxOptions', { level: 's0-s0:c0.c1023' }],
  ['fsGroup', 0],
  ['supplementalGroups', [0]],
  ['windowsOptions', { hostProcess: true }],
])('[packaging 7] the value %s = %j is refused in every security context', async (field, value) => {
  const context = { [field]: value };
  const each = [
    { manager: { securityContext: context } },
    { manager: { podSecurityContext: context } },
    { proxy: { securityContext: context } },
  ];

  const results = await renderChart(
    chart,
    each.flatMap((values) => [{ values }, { values, skipSchema: true }]),
  );

  const layers = results.map((result) => (isRefused(result) ? result.layer : 'rendered'));
  expect(layers).toEqual(['schema', 'template', 'schema', 'template', 'schema', 'template']);
});

test('[packaging 7] a value cannot override an environment variable that the chart sets', async () => {
  const [plain] = await renderChart(chart, [{}]);
  if (plain === undefined) throw new Error('a render is missing');
  const { containers } = podSpecOf(rendered(plain).objects);
  const env = containers.find(({ name }) => name === 'operator')?.env as readonly {
    name: string;
  }[];
  const names = [...env.map(({ name }) => name), 'KUBERNETES_SERVICE_HOST'];

  const results = await renderChart(
    chart,
    names.flatMap((name) => [
      { values: { manager: { env: [{ name, value: 'x' }] } } },
      { values: { manager: { env: [{ name, value: 'x' }] } }, skipSchema: true },
      { values: { manager: { envOverrides: { [name]: 'x' } } }, skipSchema: true },
    ]),
  );

  expect(names.length).toBeGreaterThan(3);
  expect(results.filter((result) => !isRefused(result))).toEqual([]);
});

function placeAt(path: string): Place {
  const found = places.find((place) => place.path === path);
  if (found === undefined) throw new Error(`the schema has no place ${path}`);
  return found;
}
