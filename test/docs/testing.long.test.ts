/** The guide's examples, word for word: a test below holds the two equal. */
import { readFileSync } from 'node:fs';
import * as testing from '@chancery/testing';
import { controller, defineResource, type KubernetesObject, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { expect, test } from 'vitest';

const { configMap, consistently, crashPoints, eventually, FakeClock, startOperator, startTestEnv } =
  testing;

interface Secret extends KubernetesObject {
  readonly stringData?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
}

const secrets = defineResource<Secret>({
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
});

const copier = controller({
  name: 'copier',
  for: source(configMaps, { labelSelector: 'copy=yes' }),
  permissions: [
    { resource: configMaps, verbs: ['patch'] },
    { resource: secrets, verbs: ['patch', 'create'] },
  ],
  async reconcile(configMap, { client, signal }) {
    const { name, namespace = '' } = configMap.metadata;
    const copy = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      stringData: { ...configMap.data },
    };
    await client.apply(secrets, copy, { signal, force: true });
    if (configMap.metadata.annotations?.copied === undefined) {
      const body = { metadata: { annotations: { copied: 'yes' } } };
      await client.patch(configMaps, { name, namespace }, { type: 'merge', body }, { signal });
    }
    return { requeueAfterMs: 3_600_000 }; // somebody may have changed the copy
  },
});

test('a ConfigMap is copied only if it has the label', async () => {
  await using env = await startTestEnv();
  const namespace = await env.namespace();
  await using operator = startOperator({ url: env.url, namespace, controllers: [copier] });

  await env.create(configMap('a', { namespace, labels: { copy: 'yes' }, data: { k: '1' } }));
  await env.create(configMap('b', { namespace, data: { k: '1' } }));
  await eventually(() => env.get('v1', 'Secret', namespace, 'a'));

  const secrets = await env.list('v1', 'Secret', namespace);
  expect(secrets.map(({ metadata }) => metadata.name)).toEqual(['a']);
  expect(operator.ready).toBe(true);
});

const caches = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Cache',
  plural: 'caches',
  spec: Type.Object({ size: Type.Integer({ minimum: 1 }) }),
});

test('the API server stores the size of a Cache', async () => {
  await using env = await startTestEnv({ install: [caches] });
  const namespace = await env.namespace();

  const metadata = { name: 'c', namespace };
  await env.create({ apiVersion: 'example.dev/v1', kind: 'Cache', metadata, spec: { size: 3 } });

  const cache = await env.get(caches, namespace, 'c');
  expect(cache?.spec.size).toBe(3);
});

test('a copy that is up to date is not written again', async () => {
  await using env = await startTestEnv();
  const namespace = await env.namespace();
  await env.create(configMap('a', { namespace, labels: { copy: 'yes' }, data: { k: '1' } }));
  await using operator = startOperator({ url: env.url, namespace, controllers: [copier] });
  await eventually(() => env.events.history('configmaps', namespace, 'a').length === 2);

  await consistently(() => env.events.of({ resource: 'secrets', namespace }).length === 1);

  expect(env.requests.of({ verb: 'patch', resource: 'configmaps' })).toMatchObject([{ name: 'a' }]);
  const series = 'controller_runtime_reconcile_total{controller="copier",result="requeue_after"}';
  expect(operator.meter.snapshot()[series]).toBeGreaterThan(0);
});

test('a deleted copy is created again within an hour', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  await using env = await startTestEnv({ embedded: { clock } });
  const namespace = await env.namespace();
  const operator = startOperator({ url: env.url, namespace, controllers: [copier], clock });
  await env.create(configMap('a', { namespace, labels: { copy: 'yes' }, data: { k: '1' } }));
  await env.advance(1_000);

  await env.delete('v1', 'Secret', namespace, 'a');
  await env.advance(3_500_000);
  const before = await env.get('v1', 'Secret', namespace, 'a');
  await env.advance(200_000);

  expect(before).toBeUndefined();
  expect(await env.get('v1', 'Secret', namespace, 'a')).toBeDefined();
  await operator.kill();
});

test('wherever the operator is killed, the copy is created, and the original is annotated', async () => {
  const points = await crashPoints({
    arrange: (env, namespace) =>
      env.create(configMap('a', { namespace, labels: { copy: 'yes' }, data: { k: '1' } })),
    start: (url, namespace) => startOperator({ url, namespace, controllers: [copier] }),
    until: async (env, namespace) => {
      const live = await env.get('v1', 'ConfigMap', namespace, 'a');
      return live?.metadata.annotations?.copied === 'yes';
    },
    state: async (env, namespace) => {
      const copy = await env.get<Secret>('v1', 'Secret', namespace, 'a');
      return copy?.data;
    },
    calls: ({ verb }) => verb === 'patch',
  });

  expect(points.slice(0, 4).map(({ when, call }) => `${when} ${call.resource}`)).toEqual([
    'before secrets',
    'after secrets',
    'before configmaps',
    'after configmaps',
  ]);
});

const filler = controller({
  name: 'filler',
  for: source(caches),
  permissions: [{ resource: caches, verbs: ['patch'] }],
  async reconcile(cache, { client, signal }) {
    if (cache.metadata.annotations?.filled === 'yes') return;
    const body = { metadata: { annotations: { filled: 'yes' } } };
    await client.patch(caches, cache.metadata, { type: 'merge', body }, { signal });
  },
});

test('wherever the operator is killed, the Cache is filled in the end', async () => {
  const points = await crashPoints({
    arrange: async (env, namespace) => {
      await env.apply(caches.definition);
      const metadata = { name: 'c', namespace };
      await env.create({
        apiVersion: 'example.dev/v1',
        kind: 'Cache',
        metadata,
        spec: { size: 3 },
      });
    },
    start: (url, namespace) => startOperator({ url, namespace, controllers: [filler] }),
    until: async (env, namespace) => {
      const cache = await env.get(caches, namespace, 'c');
      return cache?.metadata.annotations?.filled === 'yes';
    },
    state: async (env, namespace) => {
      const definition = await env.get(
        'apiextensions.k8s.io/v1',
        'CustomResourceDefinition',
        undefined,
        'caches.example.dev',
      );
      return [definition?.metadata.name, (await env.get(caches, namespace, 'c'))?.spec];
    },
    calls: ({ verb }) => verb === 'patch',
  });

  expect(points.length).toBeGreaterThanOrEqual(2);
});

const guide = readFileSync(new URL('../../docs/guides/test/testing.md', import.meta.url), 'utf8');

test('testing.md has the same code as this file', () => {
  const examples = [...guide.matchAll(/^```ts[^\n]*\n(.*?)^```/gms)].map(([, code = '']) => code);
  const parts = examples.flatMap((code) => code.replaceAll(/^export /gm, '').split('\n\n'));
  const here = flat(readFileSync(new URL(import.meta.url), 'utf8'));

  expect(examples).toHaveLength(7);
  expect(parts.filter((code) => !here.includes(flat(code)))).toEqual([]);
});

/** Where a line is broken is not what is shown. */
function flat(code: string): string {
  return code.replaceAll(/,(?=\s*[\])}])/g, '').replaceAll(/\s+/g, '');
}

test('every name of the test kit, and every variable, in testing.md exists', () => {
  const names = [...guide.matchAll(/`([A-Za-z]\w+)(?:\(|`)/g)].map(([, name = '']) => name);
  const parts = names.filter((name) => /^(?:[A-Z][a-z]+[A-Z]|[a-z]+[A-Z])/.test(name));
  const members = ['runsWorkloads', 'beforeAll', 'testTimeout', 'AssertionError'];
  const ofKubernetes = [
    'ShardedListAndWatch',
    'shardSelector',
    'shardInfo',
    'PartialObjectMetadata',
    'remainingItemCount',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
    'podFailurePolicy',
    'podReplacementPolicy',
    'maxFailedIndexes',
    'containerStatuses',
    'maxItems',
    'maxLength',
    'maxProperties',
  ];
  const known = [...members, ...ofKubernetes];

  expect(new Set(parts).size).toBeGreaterThan(10);
  expect(parts.filter((name) => !(name in testing) && !known.includes(name))).toEqual([]);
});
