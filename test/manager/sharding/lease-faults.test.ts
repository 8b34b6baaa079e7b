import { expect, test } from 'vitest';
import { leases } from '../../../operator/model/builtin.ts';
import { Place } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirrored,
  pass,
  sharer,
  turns,
  withParents,
  writesFrom,
} from './sharded-place.ts';

async function deleteLease(place: Awaited<ReturnType<typeof withParents>>, name: string) {
  await place.env.delete('coordination.k8s.io/v1', 'Lease', place.namespace, name);
}

test('[sharding 14] [SH-2] a deleted Lease of a group is created again, and no object has two writers', async () => {
  const place = await withParents();
  const [a, b] = [await sharer(place, 'a'), await sharer(place, 'b')];
  const isLevel = (): boolean => groupsOf(a) === 4 && groupsOf(b) === 4;
  expect(await place.until(isLevel)).toBe(true);
  await pass(place, 5_000);

  const from = place.passed.length;
  for (let group = 0; group < GROUPS; group += 2) {
    for (const each of [group, group + 1]) {
      await deleteLease(place, `mirror-leader-group-${each}`);
    }
    await change(place, { deleted: String(group) });
    await pass(place, 3_000);
  }
  expect(await place.until(isLevel)).toBe(true);
  await pass(place, 20_000);

  const found = await place.env.list(leases, place.namespace);
  expect(found.filter(({ metadata }) => metadata.name?.includes('-group-'))).toHaveLength(GROUPS);
  for (const [name, writes] of writesFrom(place, from)) {
    expect([name, turns(writes)]).toEqual([name, expect.toBeOneOf([0, 1])]);
  }
  expect(new Set([...(await mirrored(place)).values()].map(({ of }) => of))).toEqual(
    new Set(['{"deleted":"6"}']),
  );
});

test('[sharding 16] [SH-2] two operators in one namespace share no groups', async () => {
  const place = await Place.start(); // without objects that both would write
  const one = await sharer(place, 'a', { CHANCERY_LEASE_NAME: 'one' });
  const two = await sharer(place, 'b', { CHANCERY_LEASE_NAME: 'two' });
  const haveAll = (): boolean => groupsOf(one, 'one') === GROUPS && groupsOf(two, 'two') === GROUPS;
  expect(await place.until(haveAll)).toBe(true);
});
