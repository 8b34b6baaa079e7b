import { expect, test } from 'vitest';
import { secrets } from '../../../operator/kubernetes.ts';
import { OUTAGE, type Replica } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirrored,
  PARENTS,
  pass,
  sharer,
  turns,
  withParents,
  writesFrom,
} from './sharded-place.ts';

const isLevel =
  (...replicas: readonly Replica[]) =>
  (): boolean =>
    replicas.every((each) => groupsOf(each) >= Math.floor(GROUPS / replicas.length));

test('[sharding 4] [SH-1] together three replicas write the children of all parents, and each writes those in its groups', async () => {
  const place = await withParents();
  const names = ['a', 'b', 'c'];
  const replicas: Replica[] = [];
  for (const name of names) replicas.push(await sharer(place, name));
  expect(await place.until(isLevel(...replicas))).toBe(true);
  await pass(place, 5_000);

  const before = await mirrored(place);
  expect(before.size).toBe(PARENTS);
  expect(new Set([...before.values()].map(({ by }) => by))).toEqual(new Set(names));

  const from = place.passed.length;
  await change(place, { changed: 'yes' });
  await pass(place, 5_000);
  const writes = writesFrom(place, from);
  expect(writes.size).toBe(PARENTS);
  for (const [name, all] of writes) {
    expect(new Set(all.map(({ who }) => who))).toEqual(new Set([before.get(name)?.by]));
  }
});

test('[sharding 9] [SH-3] a stopping replica gives its groups to the other replicas, which reconcile what changed meanwhile', async () => {
  const place = await withParents();
  const replicas = [
    await sharer(place, 'a'),
    await sharer(place, 'b'),
    await sharer(place, 'c'),
  ] as const;
  expect(await place.until(isLevel(...replicas))).toBe(true);

  const [leaving, ...staying] = replicas;
  const stopping = leaving.operator.stop();
  await change(place, { changed: 'later' });
  const isTaken = (): boolean => staying.reduce((sum, each) => sum + groupsOf(each), 0) === GROUPS;
  // No Lease has to expire: two looks at the Leases, 5 s apart, and an attempt.
  expect(await place.until(isTaken, 14_000)).toBe(true);
  await stopping;
  await pass(place, 10_000);

  const after = await mirrored(place);
  expect(new Set([...after.values()].map(({ of }) => of))).toEqual(
    new Set(['{"changed":"later"}']),
  );
});

test('[sharding 7] [SH-1] if a replica loses its ambassador, other replicas take its groups; it writes nothing until it holds groups again', async () => {
  const place = await withParents();
  const [lost, other] = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(isLevel(lost, other))).toBe(true);

  lost.gate = OUTAGE;
  expect(await place.until(() => groupsOf(other) === GROUPS, 40_000)).toBe(true);
  expect(groupsOf(lost)).toBe(0);
  const from = place.passed.length;
  lost.gate = {};
  await change(place, { changed: 'again' });
  expect(await place.until(isLevel(lost, other))).toBe(true);
  await pass(place, 10_000);

  for (const [name, writes] of writesFrom(place, from)) {
    expect([name, turns(writes)]).toEqual([name, expect.toBeOneOf([0, 1])]);
  }
  const after = await mirrored(place);
  expect(new Set([...after.values()].map(({ of }) => of))).toEqual(
    new Set(['{"changed":"again"}']),
  );
});

test('[sharding 11] [SH-3] a child that is changed by hand while its group moves is corrected once', async () => {
  const place = await withParents();
  const first = await sharer(place, 'a');
  expect(await place.until(() => groupsOf(first) === GROUPS)).toBe(true);
  await pass(place, 5_000);

  const second = await sharer(place, 'b');
  // Its groups are being handed over.
  expect(await place.until(() => groupsOf(first) < GROUPS)).toBe(true);
  const from = place.passed.length;
  for (const name of (await mirrored(place)).keys()) {
    await place.env.patch('v1', 'Secret', place.namespace, name, { data: { of: 'Ym9ndXM=' } });
  }
  expect(await place.until(isLevel(first, second))).toBe(true);
  await pass(place, 10_000);

  const after = await mirrored(place);
  expect(new Set([...after.values()].map(({ of }) => of))).toEqual(new Set(['{}']));
  for (const [name, writes] of writesFrom(place, from)) {
    expect([name, turns(writes)]).toEqual([name, expect.toBeOneOf([0, 1])]);
  }
});

test('[sharding 8] [SH-4] only the groups that a joining replica takes are reconciled again', async () => {
  const place = await withParents();
  const first = await sharer(place, 'a');
  expect(await place.until(() => groupsOf(first) === GROUPS)).toBe(true);
  await pass(place, 5_000);
  const from = place.passed.length;

  const second = await sharer(place, 'b');
  expect(await place.until(isLevel(first, second))).toBe(true);
  await pass(place, 10_000);

  expect(groupsOf(second)).toBe(GROUPS / 2);
  for (const writes of writesFrom(place, from).values()) {
    expect(new Set(writes.map(({ who }) => who))).toEqual(new Set(['b']));
  }
  const moved = writesFrom(place, from).size;
  expect(moved).toBeGreaterThan(0);
  expect(moved).toBeLessThan(PARENTS);
});

test('[sharding 10] [SH-7] children have the slot label of their owner, even children that had no label before', async () => {
  const place = await withParents();
  const [a, b] = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(isLevel(a, b))).toBe(true);
  await pass(place, 5_000);

  const found = await place.env.list(secrets, place.namespace);
  for (const { metadata } of found) {
    expect(Number(metadata.labels?.['chancery.dev/slot'])).toBeGreaterThanOrEqual(0);
  }
  const name = found[0]?.metadata.name ?? '';
  await place.env.patch('v1', 'Secret', place.namespace, name, {
    metadata: { labels: { 'chancery.dev/slot': null } },
  });
  await pass(place, 5_000);
  const again = await place.env.list(secrets, place.namespace);
  expect(again.every(({ metadata }) => metadata.labels?.['chancery.dev/slot'] !== undefined)).toBe(
    true,
  );
});
