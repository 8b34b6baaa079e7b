/**
 * A leader may write until a deadline. The deadline counts from the beginning of the last good
 * renewal.
 */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../operator/core/clock.ts';
import { candidate, leader, watched } from './candidate.ts';
import { FakeLeaseStore } from './fake-lease-store.ts';

describe('[LE-9] [LE-10] when a leader may write', () => {
  test('a leader’s write may begin until the renew deadline, and must end a second before the Lease expires', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector } = await leader('a', store, clock);

    clock.advance(9_999);

    expect(elector.writeDeadlineAt()).toBe(14_000);
    expect(elector.isLeader).toBe(true);
    clock.advance(1);
    expect(() => elector.writeDeadlineAt()).toThrow('could not be renewed');
    expect(elector.isLeader).toBe(false);
    expect(elector.exitBy).toBe(14_000);
  });

  test('the write deadline counts from the beginning of the successful request, not from its response', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    store.beforeAnswer = ({ verb }) => {
      if (verb === 'create') clock.advance(3_000);
    };

    const { elector } = await leader('a', store, clock);

    expect(clock.monotonic()).toBe(3_000);
    expect(elector.writeDeadlineAt()).toBe(14_000);
  });

  test('the write deadline counts from the beginning of a renewal, not from its response', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, stop } = await leader('a', store, clock);
    const answer = Promise.withResolvers<void>();
    store.beforeAnswer = () => answer.promise;
    watched(elector.renew(stop.signal));
    await clock.advanceAndSettle(2_000);

    clock.advance(3_000);
    answer.resolve();
    await settle();

    expect(elector.writeDeadlineAt()).toBe(16_000);
  });

  test('a candidate may not write before it leads', () => {
    const clock = new FakeClock();
    const { elector } = candidate('a', new FakeLeaseStore(clock), clock);

    expect(() => elector.writeDeadlineAt()).toThrow('does not lead');
  });
});

test('[LE-9] a renewal that is answered after the deadline does not restore leadership', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const answer = Promise.withResolvers<void>();
  store.beforeAnswer = () => answer.promise;
  const renewing = watched(elector.renew(stop.signal));
  await clock.advanceAndSettle(9_000);

  clock.advance(1_500);
  answer.resolve();
  await settle();

  expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
  expect(() => elector.writeDeadlineAt()).toThrow();
});

test('[LE-11] after a stall the first write is refused, and the error says that the process is the cause', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  // Time passes and no timer fires: what a blocked event loop is to the code in it.
  const stalled: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: () => () => {},
  };
  const { elector, stop } = await leader('a', store, clock, { clock: stalled });
  const renewing = watched(elector.renew(stop.signal));

  clock.advance(20_000);
  const refused = (): number => elector.writeDeadlineAt();

  expect(refused).toThrow('did not run');
  await settle();
  expect(renewing.outcome).toMatchObject({ layer: 'process', context: { lateMs: 10_000 } });
  expect(store.verbsOf('a')).toEqual(['get', 'create', 'event']);
});

test.each([
  [1_999, 'leads on'],
  [2_001, 'has lost'],
])('[LE-11] a leader whose wall clock has gained %i ms on the monotonic clock %s', async (gainMs, what) => {
  const clock = new FakeClock();
  let wallAhead = 0;
  const suspended: Clock = {
    now: () => clock.now() + wallAhead,
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, wake) => clock.schedule(delayMs, wake),
  };
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock, { clock: suspended });
  const renewing = watched(elector.renew(stop.signal));
  await clock.advanceAndSettle(3_000);

  wallAhead = gainMs;
  const isLeader = elector.isLeader;
  await clock.advanceAndSettle(3_000);

  expect(isLeader).toBe(what === 'leads on');
  if (what === 'leads on') expect(renewing.outcome).toBe('pending');
  else
    expect(renewing.outcome).toMatchObject({ layer: 'process', context: { suspendedMs: gainMs } });
});

test('[LE-11] a suspension during a renewal counts as a loss, even if the renewal succeeds', async () => {
  const clock = new FakeClock();
  let wallAhead = 0;
  const suspended: Clock = {
    now: () => clock.now() + wallAhead,
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, wake) => clock.schedule(delayMs, wake),
  };
  const store = new FakeLeaseStore(clock);
  store.treat = ({ verb }) => {
    if (verb === 'update') wallAhead = 60_000;
    return 'serve';
  };
  const { elector, stop } = await leader('a', store, clock, { clock: suspended });
  const renewing = watched(elector.renew(stop.signal));

  await clock.advanceAndSettle(2_000);

  expect(renewing.outcome).toMatchObject({ layer: 'process' });
  expect(elector.exitBy).toBeLessThan(clock.monotonic());
});

test('[LE-10] the fence allows Events of a candidate; after a loss it allows Events until another process may lead', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = candidate('a', store, clock);
  const deadlines: unknown[] = [];
  const ask = (): void => {
    try {
      deadlines.push(elector.eventFence.writeDeadlineAt());
    } catch (error) {
      deadlines.push((error as Error).name);
    }
  };

  ask();
  await elector.acquire(stop.signal);
  ask();
  clock.advance(13_999);
  ask();
  clock.advance(1);
  ask();

  expect(deadlines).toEqual([Number.POSITIVE_INFINITY, 14_000, 14_000, 'LeadershipLostError']);
});

test('[LE-10] the fence refuses Events of a leader that was replaced or has released the Lease', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const done = await leader('a', store, clock);
  await done.elector.release();
  const next = await leader('b', store, clock);
  watched(next.elector.renew(next.stop.signal));

  store.edit({ spec: { holderIdentity: 'c' } });
  await clock.advanceAndSettle(2_000);

  expect(() => done.elector.eventFence.writeDeadlineAt()).toThrow('has given up');
  expect(() => next.elector.eventFence.writeDeadlineAt()).toThrow('another process holds');
});

test('[LE-11] a renewal that is answered after a stall past the deadline does not restore leadership', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  let stalledMs = 0;
  const { elector, stop } = await leader('a', store, clock, {
    clock: {
      now: () => clock.now() + stalledMs,
      monotonic: () => clock.monotonic() + stalledMs,
      schedule: (delayMs, wake) => clock.schedule(delayMs, wake),
    },
  });
  const renewing = watched(elector.renew(stop.signal));
  store.beforeAnswer = () => {
    stalledMs = 9_000; // 11 s after the last good one, 9 s after the beginning of this one
  };

  await clock.advanceAndSettle(2_000);

  expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
});
