/** Which groups move when replicas come and go. */
import { expect, test } from 'vitest';
import { SLOTS, slotOf } from '../../../operator/model/shard/field-hash.ts';
import type { Place, Replica } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirrored,
  pass,
  sharer,
  withParents,
  writesFrom,
  writtenWithoutLease,
} from './sharded-place.ts';

/** The groups that a replica holds, by their numbers. */
function held({ operator: { meter } }: Replica): readonly number[] {
  const isHeld = (group: number): boolean =>
    meter.value('leader_election_master_status', { name: `mirror-leader-group-${group}` }) === 1;
  return Array.from({ length: GROUPS }, (_, group) => group).filter(isHeld);
}

function groupOf({ env, namespace }: Place, parent: string): number {
  const uid = env.server.get('v1', 'ConfigMap', namespace, parent)?.metadata.uid ?? '';
  return Math.floor((slotOf(uid) * GROUPS) / SLOTS);
}

test('[sharding 8] while scaling from two replicas to four and back, groups stay in place if they can, and only moved objects are reconciled again', async () => {
  const place = await withParents();
  const old = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(() => old.every((each) => groupsOf(each) === GROUPS / 2))).toBe(true);
  const before = old.map(held);

  const added = [await sharer(place, 'c'), await sharer(place, 'd')];
  const all = [...old, ...added];
  expect(await place.until(() => all.every((each) => groupsOf(each) === GROUPS / 4))).toBe(true);
  await pass(place, 5_000);
  const kept = old.map(held);
  const from = place.passed.length;

  const stopping = Promise.all(added.map(({ operator }) => operator.stop()));
  expect(await place.until(() => old.every((each) => groupsOf(each) === GROUPS / 2))).toBe(true);
  await stopping;
  await pass(place, 5_000);

  for (const [index, replica] of old.entries()) {
    expect(before[index]).toEqual(expect.arrayContaining([...(kept[index] ?? [])]));
    expect(held(replica)).toEqual(expect.arrayContaining([...(kept[index] ?? [])]));
  }
  const handled = new Set([...writesFrom(place, from).keys()].map((name) => groupOf(place, name)));
  expect(handled.size).toBeGreaterThan(0);
  expect([...handled].filter((group) => kept.flat().includes(group))).toEqual([]);
  expect(writtenWithoutLease(place)).toEqual([]);
});

test('[sharding 9] the groups of a killed replica are reconciled after the lease duration and two more reads of the Lease', async () => {
  const place = await withParents();
  const [killed, other] = [await sharer(place, 'a'), await sharer(place, 'b')];
  const isLevel = (): boolean => [killed, other].every((each) => groupsOf(each) === GROUPS / 2);
  expect(await place.until(isLevel)).toBe(true);

  await killed.operator.kill();
  await change(place, { changed: 'later' });
  // 15 s from when the last renewal was seen, and a look at the Leases each 4.5 to 5.5 s.
  expect(await place.until(() => groupsOf(other) === GROUPS, 15_000 + 2 * 5_500)).toBe(true);
  await pass(place, 5_000);

  const texts = [...(await mirrored(place)).values()].map(({ of }) => of);
  expect(new Set(texts)).toEqual(new Set(['{"changed":"later"}']));
  expect(writtenWithoutLease(place)).toEqual([]);
});
