import { expect, test } from 'vitest';
import { controller } from '../../../operator/controller/controller.ts';
import { namespaces } from '../../../operator/kubernetes.ts';
import { Place, type Replica } from '../leader/replica.ts';
import { change, groupsOf, mirrored, PARENTS, pass, sharer, withParents } from './sharded-place.ts';

/** Objects of other replicas that reached a replica. */
function foreign({ operator: { meter } }: Replica): number {
  const labels = { group: '', version: 'v1', resource: 'configmaps' };
  return meter.value('chancery_shard_foreign_objects_total', labels);
}

test.each([
  ['does not know shards', undefined],
  ['selects by shards', { ShardedListAndWatch: true }],
] as const)('[sharding 3] replicas write the same children if an API server %s', async (_, featureGates) => {
  const place = await withParents(featureGates && { featureGates });
  const [a, b] = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(() => groupsOf(a) === 4 && groupsOf(b) === 4)).toBe(true);
  await pass(place, 5_000);
  const before = foreign(a) + foreign(b);
  await change(place, { changed: 'yes' });
  await pass(place, 10_000);

  const after = await mirrored(place);
  expect(after.size).toBe(PARENTS);
  expect(new Set([...after.values()].map(({ of }) => of))).toEqual(new Set(['{"changed":"yes"}']));
  const received = foreign(a) + foreign(b) - before;
  if (featureGates === undefined) expect(received).toBeGreaterThanOrEqual(PARENTS);
  else expect(received).toBe(0);
});

test('[sharding 3] [SH-7] a shard feature that is enabled during the run is used from the next request on', async () => {
  const place = await withParents();
  const [a, b] = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(() => groupsOf(a) === 4 && groupsOf(b) === 4)).toBe(true);
  place.env.server.setFeatureGates({ ShardedListAndWatch: true });
  await pass(place, 30_000);
  const before = foreign(a) + foreign(b);
  await change(place, { changed: 'yes' });
  await pass(place, 10_000);

  expect(foreign(a) + foreign(b)).toBe(before);
  expect((await mirrored(place)).size).toBe(PARENTS);
});

test('[sharding 17] [SH-8] CHANCERY_SHARD_BY=namespace is refused for objects without a namespace, and the error says why', async () => {
  const place = await Place.start();
  const clustered = controller({ name: 'clustered', for: namespaces, reconcile: () => {} });

  await expect(
    place.replica('a', [clustered], {
      CHANCERY_SHARDS: '8',
      CHANCERY_SHARD_BY: 'namespace',
      CHANCERY_LEASE_NAMESPACE: place.namespace,
    }),
  ).rejects.toThrow(/CHANCERY_SHARD_BY=namespace does not divide namespaces/);
});
