/** What a replica may write that lost a group, or gives it back, while it worked for it. */
import { expect, test } from 'vitest';
import { sleep } from '../../../operator/core/clock.ts';
import { LeadershipLostError } from '../../../operator/core/errors.ts';
import { OUTAGE, type Place, type Replica } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirror,
  mirrored,
  PARENTS,
  parent,
  pass,
  sharer,
  sharerOf,
  withParents,
  writtenWithoutLease,
} from './sharded-place.ts';
import { StoppableProcess } from './stopped-process.ts';

const LEASE_MS = 15_000;
const HALF = GROUPS / 2;

/** What children say, each text once. */
const saidOf = async (place: Place): Promise<ReadonlySet<string>> =>
  new Set([...(await mirrored(place)).values()].map(({ of }) => of));

/** The children that this replica wrote last. */
const mirroredBy = async (place: Place, who: string): Promise<readonly string[]> =>
  [...(await mirrored(place))].flatMap(([name, { by }]) => (by === who ? [name] : []));

/** How many groups of a replica are in this phase. */
const inPhase = ({ operator: { meter } }: Replica, phase: string): number =>
  meter.value('chancery_shard_groups', { name: 'mirror-leader', phase });

/** Two reconciles at a time. Those of parents that say so take 1 s, and give up for nothing. */
function slowly(refusals: unknown[]) {
  return mirror('mirror', {
    maxConcurrentReconciles: 2,
    async beforeWrite({ data }, { clock }) {
      if (data?.slow === 'yes') await sleep(clock, 1_000, new AbortController().signal);
    },
    afterWrite(_, refused) {
      if (refused !== undefined) refusals.push(refused);
    },
  });
}

test.each([
  ['the process reads its sockets first', ['thaw', 'fire']],
  ['the timers of the process fire first', ['fire', 'thaw']],
] as const)('[LE-9] [sharding 6] if a process was frozen for twice the lease duration, it writes nothing until it holds groups: %s', async (_, order) => {
  const place = await withParents();
  const refusals: unknown[] = [];
  const [process, stopped] = await StoppableProcess.with(place, ({ clock }) =>
    sharerOf(slowly(refusals), place, 'a', clock),
  );
  const other = await sharer(place, 'b');
  const isLevel = (): boolean => groupsOf(stopped) === HALF && groupsOf(other) === HALF;
  expect(await place.until(isLevel)).toBe(true);
  await pass(place, 5_000);

  const [slow = ''] = await mirroredBy(place, 'a');
  await place.env.apply(parent(place, slow, { slow: 'yes' }));
  await pass(place, 500); // its reconcile is under way
  process.stop();
  await pass(place, 2 * LEASE_MS);
  expect(await place.until(() => groupsOf(other) === GROUPS)).toBe(true);
  await change(place, { changed: 'meanwhile' });
  await pass(place, 5_000);
  expect(await saidOf(place)).toEqual(new Set(['{"changed":"meanwhile"}']));
  await change(place, { changed: 'last' }); // it reads of all changes at once
  for (const each of order) {
    process[each]();
    await place.env.settled();
  }
  expect(await place.until(isLevel)).toBe(true);
  await pass(place, 10_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  expect(refusals.length).toBeGreaterThan(order[0] === 'thaw' ? 1 : 0);
  for (const refused of refusals) expect(refused).toBeInstanceOf(LeadershipLostError);
  expect(await saidOf(place)).toEqual(new Set(['{"changed":"last"}']));
});

test('[LE-9] [sharding 6] after twice the lease duration without responses a replica writes nothing until it holds groups again', async () => {
  const place = await withParents();
  const refusals: unknown[] = [];
  const silent = await sharerOf(slowly(refusals), place, 'a');
  const other = await sharer(place, 'b');
  const isLevel = (): boolean => groupsOf(silent) === HALF && groupsOf(other) === HALF;
  expect(await place.until(isLevel)).toBe(true);
  await pass(place, 5_000);

  const [slow = ''] = await mirroredBy(place, 'a');
  await place.env.apply(parent(place, slow, { slow: 'yes' }));
  await pass(place, 500);
  silent.gate = OUTAGE;
  await pass(place, 2 * LEASE_MS);
  expect(await place.until(() => groupsOf(other) === GROUPS)).toBe(true);
  await change(place, { changed: 'last' });
  silent.gate = {};
  expect(await place.until(isLevel)).toBe(true);
  await pass(place, 10_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  expect(refusals.length).toBeGreaterThan(0);
  expect(await saidOf(place)).toEqual(new Set(['{"changed":"last"}']));
});

/** Two replicas, of which the first has all groups and reconciles all parents, while the second takes half of them. */
async function handingOver() {
  const place = await withParents();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const outcomes = new Map<string, unknown>();
  const held = mirror('mirror', {
    maxConcurrentReconciles: PARENTS,
    beforeWrite: async ({ data }) => {
      if (data?.changed !== undefined) await released;
    },
    afterWrite({ metadata: { name = '' }, data }, refused) {
      if (data?.changed !== undefined && !outcomes.has(name)) outcomes.set(name, refused);
    },
  });
  const first = await sharerOf(held, place, 'a');
  expect(await place.until(() => groupsOf(first) === GROUPS)).toBe(true);
  await pass(place, 5_000);
  await change(place, { changed: 'yes' });
  const second = await sharer(place, 'b');
  expect(await place.until(() => inPhase(first, 'draining') === HALF)).toBe(true);
  return { place, first, second, release, outcomes };
}

test('[sharding 21] reconciles that run for 8 s during a hand-over end, and then the group is released', async () => {
  const { place, first, second, release, outcomes } = await handingOver();

  await pass(place, 7_000);
  expect([groupsOf(second), inPhase(first, 'draining')]).toEqual([0, HALF]);
  release();
  await pass(place, 500);
  expect([...outcomes.values()].filter((refused) => refused !== undefined)).toEqual([]);
  expect(outcomes.size).toBe(PARENTS);
  expect(await place.until(() => groupsOf(second) === HALF)).toBe(true);
  await pass(place, 5_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  expect(await saidOf(place)).toEqual(new Set(['{"changed":"yes"}']));
});

test('[sharding 21] if a reconcile outlasts the hand-over, its write is refused, and the next holder does the work', async () => {
  const { place, first, second, release, outcomes } = await handingOver();

  expect(await place.until(() => inPhase(first, 'lost') === HALF, 9_000)).toBe(true);
  const from = place.passed.length;
  release();
  expect(await place.until(() => groupsOf(second) === HALF)).toBe(true);
  await pass(place, 5_000);

  const ofSecond = await mirroredBy(place, 'b');
  const refused = [...outcomes].filter(([, error]) => error !== undefined);
  expect(refused.map(([name]) => name).toSorted()).toEqual(ofSecond.toSorted());
  expect(refused.length).toBeGreaterThan(0);
  for (const [, error] of refused) expect(error).toBeInstanceOf(LeadershipLostError);
  const late = place.passed
    .slice(from)
    .filter(({ who, call }) => who === 'a' && call.resource === 'secrets')
    .filter(({ call: { name = '' } }) => ofSecond.includes(name));
  expect(late).toEqual([]);
  expect(writtenWithoutLease(place)).toEqual([]);
  expect(await saidOf(place)).toEqual(new Set(['{"changed":"yes"}']));
});
