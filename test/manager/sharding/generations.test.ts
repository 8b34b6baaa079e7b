import { expect, test } from 'vitest';
import { GROUPS, groupsOf, mirror, mirrored, pass, sharer, withParents } from './sharded-place.ts';

test('[SH-5] a release that divides keys into other groups waits until no replica of the old one can write', async () => {
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

test('[SH-5] a leader of a release that does not share is waited for, and the other way round', async () => {
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
  expect(await place.until(() => next.operator.leads, 20_000)).toBe(true);
});
