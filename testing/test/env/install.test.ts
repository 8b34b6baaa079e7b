/** Custom resources in a test: installed with the environment, and read with their types. */
import { isNotFound, isUnserved } from 'chancery';
import { configMaps, deployments } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { expect, expectTypeOf, test } from 'vitest';
import { startTestEnv } from '../../src/env/start-test-env.ts';
import { configMap, customResource as object } from '../../src/objects/config.ts';
import { deployment } from '../../src/objects/workloads.ts';
import { eventually } from '../../src/time/eventually.ts';

const caches = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Cache',
  plural: 'caches',
  spec: Type.Object({ size: Type.Integer({ minimum: 1 }) }),
});

const zones = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Zone',
  plural: 'zones',
  scope: 'Cluster',
  spec: Type.Object({ name: Type.String() }),
});

const start = (install: readonly (typeof caches | typeof zones)[] = []) =>
  startTestEnv({ environment: {}, embedded: { workloads: false }, install });

test('[T-7] installed custom resources are served when the environment starts, and their objects have types', async () => {
  await using env = await start([caches, zones]);
  const namespace = await env.namespace();
  await env.create({
    ...object('example.dev/v1', 'Cache', 'c', { namespace }),
    spec: { size: 3 },
  });
  await env.create({ ...object('example.dev/v1', 'Zone', 'z', {}), spec: { name: 'north' } });

  const cache = await env.get(caches, namespace, 'c');
  const zone = await env.get(zones, undefined, 'z');

  expectTypeOf(cache).toEqualTypeOf<ObjectOf<typeof caches> | undefined>();
  expect([cache?.spec.size, zone?.spec.name]).toEqual([3, 'north']);
  expect(await env.get(caches, namespace, 'other')).toBeUndefined();
  expect(await env.get('example.dev/v1', 'Cache', namespace, 'c')).toEqual(cache);
});

test('an object that is read by a union of two resources has the union of their types', async () => {
  await using env = await start([caches, zones]);
  await env.create({ ...object('example.dev/v1', 'Zone', 'z', {}), spec: { name: 'north' } });
  const either = zones as typeof caches | typeof zones;

  const found = await env.get(either, undefined, 'z');
  const listed = await env.list(either);

  type Either = ObjectOf<typeof caches> | ObjectOf<typeof zones>;
  expectTypeOf(found).toEqualTypeOf<Either | undefined>();
  expectTypeOf(listed).toEqualTypeOf<readonly Either[]>();
  expect(listed).toEqual([found]);
});

test('[T-7] env.list accepts any Resource, even a built-in one', async () => {
  await using env = await start([caches]);
  const namespace = await env.namespace();
  await env.create(configMap('a', { namespace, data: { k: '1' } }));
  await env.create(deployment('web', { namespace, replicas: 2 }));

  const maps = await env.list(configMaps, namespace);

  expect(maps.map(({ kind, data }) => [kind, data?.k])).toEqual([['ConfigMap', '1']]);
  expect(maps).toEqual(await env.list('v1', 'ConfigMap', namespace));
  expect((await env.list(deployments)).map(({ metadata }) => metadata.name)).toEqual(['web']);
  expect(await env.list(caches)).toEqual([]);
});

test('[T-7] a read of a resource that is not served is an error, and not a missing object', async () => {
  await using env = await start();

  const reading = env.get(caches, 'default', 'c');

  await expect(reading).rejects.toSatisfy(isUnserved);
});

test('[T-7] if the API server refuses a definition, startup fails and nothing is left running', async () => {
  const broken = structuredClone(caches.definition) as { metadata: { name: string } };
  broken.metadata.name = 'other.example.dev';
  const servers = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  const running = servers();

  const starting = startTestEnv({
    environment: {},
    install: [{ definition: broken as unknown as typeof caches.definition }],
  });

  await expect(starting).rejects.toSatisfy((error) => !isNotFound(error));
  await expect(starting).rejects.toThrow('other.example.dev');
  // Those of earlier files in this process may still be closing.
  await eventually(() => servers() <= running);
});
