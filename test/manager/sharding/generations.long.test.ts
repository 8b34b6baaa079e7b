import { expect, test } from 'vitest';
import type { Replica } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirror,
  mirrored,
  pass,
  sharer,
  withParents,
  writersInOrder,
  writtenWithoutLease,
} from './sharded-place.ts';

test('[SH-5] a release with another number of groups waits until no replica of the old release can write', async () => {
  const place = await withParents();
  const old = await sharer(place, 'a');
  expect(await place.until(() => groupsOf(old) === GROUPS)).toBe(true);

  const next = await sharer(place, 'b', { CHANCERY_SHARDS: '4' });
  await pass(place, 60_000);
  expect(groupsOf(next)).toBe(0);
  const from = place.clock.monotonic();
  await old.operator.stop();
  expect(await place.until(() => groupsOf(next) === 4)).toBe(true);
  await pass(place, 5_000);

  expect(place.passed.filter(({ who, atMs }) => who === 'a' && atMs > from + 1_000)).toEqual([]);
  expect(new Set([...(await mirrored(place)).values()].map(({ by }) => by))).toEqual(
    new Set(['b']),
  );
});

test('[SH-5] a sharded release waits for the leader of a release without sharding, and vice versa', async () => {
  const place = await withParents();
  const leader = await place.replica('a', [mirror()]);
  expect(await place.until(() => leader.operator.leads)).toBe(true);
  const sharing = await sharer(place, 'b');
  await pass(place, 60_000);
  expect(groupsOf(sharing)).toBe(0);

  await leader.operator.stop();
  expect(await place.until(() => groupsOf(sharing) === GROUPS)).toBe(true);

  const next = await place.replica('c', [mirror()]);
  await pass(place, 60_000);
  expect(next.operator.leads).toBe(false);
  await sharing.operator.stop();
  expect(await place.until(() => next.operator.leads, 30_000)).toBe(true);
});

test('during a rolling update to another number of groups no object has two writers, and no change is missed', async () => {
  const place = await withParents();
  const held = (replicas: readonly Replica[]): number =>
    replicas.reduce((sum, each) => sum + groupsOf(each), 0);
  const old: Replica[] = [];
  for (const name of ['old1', 'old2', 'old3']) old.push(await sharer(place, name));
  expect(await place.until(() => held(old) === GROUPS)).toBe(true);

  const next: Replica[] = [];
  for (const [index, each] of old.entries()) {
    const replica = await sharer(place, `new${index}`, { CHANCERY_SHARDS: '4' });
    next.push(replica);
    // As a Deployment does: a Pod stops when another is ready.
    expect(await place.until(() => replica.operator.ready)).toBe(true);
    await change(place, { replaced: String(index) });
    await Promise.all([each.operator.stop(), pass(place, 5_000)]);
    await change(place, { replaced: `${index} and more` });
    await pass(place, 5_000);
  }
  expect(await place.until(() => held(next) === 4)).toBe(true);
  await pass(place, 10_000);

  expect(writtenWithoutLease(place, (by) => (by.startsWith('old') ? GROUPS : 4))).toEqual([]);
  const generations = writersInOrder(place).map((by) => by.slice(0, 3));
  expect(generations).toEqual(generations.toSorted().toReversed());
  const found = await mirrored(place);
  expect(new Set([...found.values()].map(({ of }) => of))).toEqual(
    new Set(['{"replaced":"2 and more"}']),
  );
});
