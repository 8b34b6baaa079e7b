import { expect, test } from 'vitest';
import { STANDBY } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirror,
  mirrored,
  pass,
  sharer,
  withParents,
  writesFrom,
} from './sharded-place.ts';

const LEASES = 'leases.coordination.k8s.io';

test('[sharding 18] a single sharded replica writes the same as an unsharded operator, with one request per Lease and renewal', async () => {
  const [alone, sharded] = [await withParents(), await withParents()];
  const leader = await alone.replica('a', [mirror()], STANDBY);
  const sharing = await sharer(sharded, 'a');
  expect(await alone.until(() => leader.operator.leads)).toBe(true);
  expect(await sharded.until(() => groupsOf(sharing) === GROUPS)).toBe(true);
  for (const place of [alone, sharded]) await pass(place, 5_000);
  const from = [alone.passed.length, sharded.passed.length] as const;

  const periods = 12;
  for (const place of [alone, sharded]) {
    await change(place, { changed: 'yes' });
    await pass(place, periods * 5_000);
  }

  expect(await mirrored(sharded)).toEqual(await mirrored(alone));
  const counts = [writesFrom(alone, from[0]), writesFrom(sharded, from[1])].map((writes) =>
    [...writes].map(([name, all]) => [name, all.length]).toSorted(),
  );
  expect(counts[1]).toEqual(counts[0]);
  const calls = sharded.passed.slice(from[1]).filter(({ call }) => call.resource === LEASES);
  const byName = Map.groupBy(calls, ({ call }) => call.name ?? 'list');
  // Each group, the member, the set, and the list.
  expect(byName.size).toBe(GROUPS + 3);
  for (const [name, all] of byName) {
    expect([name, all.length]).toEqual([
      name,
      expect.toBeOneOf([periods - 1, periods, periods + 1]),
    ]);
  }
});
