/** Replicas whose clocks jump, and replicas that do not run for a time. */
import { expect, test } from 'vitest';
import type { Cancel, Clock } from '../../../operator/core/clock.ts';
import { leases } from '../../../operator/model/builtin.ts';
import { isWrite, OUTAGE, type Place, type Replica } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirrored,
  pass,
  sharer,
  withParents,
  writtenWithoutLease,
} from './sharded-place.ts';

const HOUR_MS = 3_600_000;

/** The clock of one machine. */
class OwnClock implements Clock {
  /** How far it is ahead of the clock that all share. */
  wallAheadMs = 0;
  monotonicAheadMs = 0;
  readonly #shared: Clock;
  /** What should have happened while the process did not run. */
  #missed: (() => void)[] | undefined;

  constructor(shared: Clock) {
    this.#shared = shared;
  }

  now(): number {
    return this.#shared.now() + this.wallAheadMs;
  }

  monotonic(): number {
    return this.#shared.monotonic() + this.monotonicAheadMs;
  }

  schedule(delayMs: number, wake: () => void): Cancel {
    return this.#shared.schedule(delayMs, () => (this.#missed ? this.#missed.push(wake) : wake()));
  }

  stop(): void {
    this.#missed = [];
  }

  /** @param ms - the time that has passed on this machine, besides that of the others. */
  wake(ms: number): void {
    const missed = this.#missed ?? [];
    this.#missed = undefined;
    this.wallAheadMs += ms;
    this.monotonicAheadMs += ms;
    for (const each of missed) each();
  }
}

async function sharing(): Promise<{ place: Place; clock: OwnClock; own: Replica; other: Replica }> {
  const place = await withParents();
  const clock = new OwnClock(place.clock);
  const own = await sharer(place, 'a', {}, [], clock);
  const other = await sharer(place, 'b');
  expect(await place.until(() => isLevel(own, other))).toBe(true);
  await pass(place, 5_000);
  return { place, clock, own, other };
}

const isLevel = (...replicas: readonly Replica[]): boolean =>
  replicas.every((each) => groupsOf(each) === GROUPS / replicas.length);

async function holders(place: Place): Promise<readonly unknown[]> {
  const found = await place.env.list(leases, place.namespace);
  return found.map(({ metadata: { name }, spec }) => [
    name,
    spec?.holderIdentity,
    Number(spec?.leaseTransitions),
  ]);
}

test('[sharding 15] setting the wall clock back by an hour changes nothing', async () => {
  const { place, clock, own, other } = await sharing();
  const before = await holders(place);

  clock.wallAheadMs = -HOUR_MS;
  await change(place, { clock: 'back' });
  await pass(place, 40_000);

  expect(isLevel(own, other)).toBe(true);
  expect(await holders(place)).toEqual(before);
  expect(writtenWithoutLease(place)).toEqual([]);
  const found = await mirrored(place);
  expect(new Set([...found.values()].map(({ of }) => of))).toEqual(new Set(['{"clock":"back"}']));
});

test('[sharding 15] a wall clock that jumps ahead by an hour counts as a suspension: groups move once, and no object has two writers', async () => {
  const { place, clock, own, other } = await sharing();

  clock.wallAheadMs = HOUR_MS;
  await change(place, { clock: 'ahead' });
  await pass(place, 40_000);
  expect(await place.until(() => isLevel(own, other))).toBe(true);
  const before = await holders(place);
  await change(place, { clock: 'still ahead' });
  await pass(place, 40_000);

  expect(await holders(place)).toEqual(before);
  expect(writtenWithoutLease(place)).toEqual([]);
  const found = await mirrored(place);
  expect(new Set([...found.values()].map(({ of }) => of))).toEqual(
    new Set(['{"clock":"still ahead"}']),
  );
});

test('[sharding 6] a replica that was frozen for an hour writes nothing when it wakes, until it holds groups again', async () => {
  const { place, clock, own, other } = await sharing();

  clock.stop();
  own.gate = OUTAGE;
  await change(place, { while: 'a is stopped' });
  expect(await place.until(() => groupsOf(other) === GROUPS)).toBe(true);
  const from = place.passed.length;
  own.gate = {};
  clock.wake(HOUR_MS);
  await change(place, { when: 'a wakes' });
  expect(await place.until(() => isLevel(own, other))).toBe(true);
  await pass(place, 10_000);

  const woken = place.passed.slice(from).filter(({ who, call }) => who === 'a' && isWrite(call));
  const takes = woken.findIndex(({ call }) => call.name?.includes('-group-'));
  expect(woken.slice(0, takes).filter(({ call }) => call.resource === 'secrets')).toEqual([]);
  expect(writtenWithoutLease(place)).toEqual([]);
  const found = await mirrored(place);
  expect(new Set([...found.values()].map(({ of }) => of))).toEqual(new Set(['{"when":"a wakes"}']));
});
