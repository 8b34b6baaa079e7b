/** How a candidate becomes the leader, and when it must wait. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../operator/core/clock.ts';
import { AmbassadorError } from '../../../operator/core/errors.ts';
import { candidate, leader, watched } from './candidate.ts';
import { FakeLeaseStore, failure } from './fake-lease-store.ts';

const HOUR_MS = 3_600_000;

/** 2026-01-01T00:00:00.123Z, where most clocks would show `.123`. */
const START_MS = Date.UTC(2026, 0, 1, 0, 0, 0, 123);

function skewed(clock: FakeClock, byMs: number): Clock {
  return {
    now: () => clock.now() + byMs,
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, wake) => clock.schedule(delayMs, wake),
  };
}

test('[LE-1] a missing Lease is created, with times of microsecond precision', async () => {
  const clock = new FakeClock(START_MS);
  const store = new FakeLeaseStore(clock);

  await leader('a', store, clock);

  expect(store.verbsOf('a')).toEqual(['get', 'create', 'event']);
  expect(store.lease).toMatchObject({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'demo', name: 'operator' },
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.123000Z',
      renewTime: '2026-01-01T00:00:00.123000Z',
      leaseTransitions: 0,
    },
  });
});

test('[LE-5] a candidate that loses the race to create the Lease does not lead', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.treat = ({ verb }) => {
    if (verb === 'create') store.edit({ spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
    return 'serve';
  };
  const { elector, stop, lines } = candidate('a', store, clock);

  const acquiring = watched(elector.acquire(stop.signal));
  await settle();

  expect(acquiring.outcome).toBe('pending');
  expect(elector.isLeader).toBe(false);
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('[LE-5] a Lease without a holder is taken at once, and its other fields are kept', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.edit({
    labels: { team: 'x' },
    spec: { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 7, future: 2n ** 60n },
  });

  await leader('a', store, clock);

  expect(clock.monotonic()).toBe(0);
  expect(store.lease?.metadata.labels).toEqual({ team: 'x' });
  expect(store.lease?.spec).toMatchObject({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    leaseTransitions: 8,
    future: 2n ** 60n,
  });
});

describe.each([
  ['equal to the candidate’s clock', 0],
  ['an hour behind', -HOUR_MS],
  ['an hour ahead', HOUR_MS],
])('a holder whose clock is %s', (_skew, skewMs) => {
  test('[LE-4] [LE-5] a holder that does not renew keeps its Lease for the full duration since a candidate first saw it', async () => {
    const clock = new FakeClock(START_MS);
    const store = new FakeLeaseStore(clock);
    await leader('b', store, clock, { clock: skewed(clock, skewMs), leaseDurationMs: 20_000 });
    await clock.advanceAndSettle(1_000_000);
    const { elector, stop } = candidate('a', store, clock);
    const acquiring = watched(elector.acquire(stop.signal));

    await clock.advanceAndSettle(19_999);
    const before = acquiring.outcome;
    await clock.advanceAndSettle(2_000);

    expect(before).toBe('pending');
    expect(acquiring.outcome).toBe('resolved');
    expect(store.lease?.spec).toMatchObject({
      holderIdentity: 'a',
      leaseTransitions: 1,
      acquireTime: '2026-01-01T00:17:00.123000Z',
    });
  });

  test('[LE-4] a holder that renews keeps its Lease for ever', async () => {
    const clock = new FakeClock(START_MS);
    const store = new FakeLeaseStore(clock);
    const other = await leader('b', store, clock, { clock: skewed(clock, skewMs) });
    const renewing = watched(other.elector.renew(other.stop.signal));
    const { elector, stop } = candidate('a', store, clock);
    const acquiring = watched(elector.acquire(stop.signal));

    await clock.advanceAndSettle(HOUR_MS);

    expect(acquiring.outcome).toBe('pending');
    expect(renewing.outcome).toBe('pending');
    expect(store.lease?.spec?.holderIdentity).toBe('b');
  });
});

test('[LE-4] any change of the Lease restarts the wait of a candidate', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  await leader('b', store, clock);
  const { elector, stop } = candidate('a', store, clock);
  const acquiring = watched(elector.acquire(stop.signal));
  await clock.advanceAndSettle(14_000);

  store.edit({ labels: { touched: 'yes' } });
  await clock.advanceAndSettle(14_000);

  expect(acquiring.outcome).toBe('pending');
});

test('[LE-4] a Lease without leaseDurationSeconds stays with its holder for the duration that the candidate uses', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.edit({ spec: { holderIdentity: 'b' } });
  const { elector, stop } = candidate('a', store, clock);
  const acquiring = watched(elector.acquire(stop.signal));

  await clock.advanceAndSettle(14_999);
  const before = acquiring.outcome;
  await clock.advanceAndSettle(2_000);

  expect(before).toBe('pending');
  expect(acquiring.outcome).toBe('resolved');
});

test('[LE-5] exactly one of two candidates that find a Lease expired becomes the leader', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  await leader('gone', store, clock);
  const electors = ['a', 'b'].map((name) => candidate(name, store, clock));
  const outcomes = electors.map(({ elector, stop }) => watched(elector.acquire(stop.signal)));

  await clock.advanceAndSettle(18_000);

  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['pending', 'resolved']);
  expect(electors.filter(({ elector }) => elector.isLeader)).toHaveLength(1);
});

test.each([
  [0, 2_000],
  [0.5, 3_200],
  [0.999, 4_397],
])('[LE-5] with the random number %f the next attempt for the Lease follows after %i ms', async (random, ms) => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.edit({ spec: { holderIdentity: 'b', leaseDurationSeconds: 1_000 } });
  const { elector, stop } = candidate('a', store, clock, { random: () => random });
  watched(elector.acquire(stop.signal));

  await clock.advanceAndSettle(ms * 3 + 3);

  const times = store.requests.map(({ atMs }) => Math.floor(atMs));
  expect(times).toEqual([0, ms, 2 * ms, 3 * ms].map((at) => expect.closeTo(at, -1)));
});

test('[LE-5] if a candidate did not receive the response to its write, it recognises that the Lease is its own', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.edit({ spec: { holderIdentity: '', leaseTransitions: 3 } });
  store.treat = ({ verb }) => (verb === 'update' ? 'lose-answer' : 'serve');
  const { elector, stop } = candidate('a', store, clock);
  const acquiring = watched(elector.acquire(stop.signal));

  await clock.advanceAndSettle(5_000);
  const afterFirst = store.lease?.spec;
  store.treat = () => 'serve';
  await clock.advanceAndSettle(2_000);

  expect(acquiring.outcome).toBe('resolved');
  expect(store.lease?.spec).toMatchObject({
    leaseTransitions: 4,
    acquireTime: afterFirst?.acquireTime,
    renewTime: '1970-01-01T00:00:07.000000Z',
  });
});

test('[LE-9] a candidate does not become the leader if the response to its write arrives after the Lease has expired', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const late = Promise.withResolvers<void>();
  store.beforeAnswer = ({ verb }) => (verb === 'create' ? late.promise : undefined);
  // A stalled process: time passes, and no timer of it fires.
  const still: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, wake) => (delayMs === 5_000 ? () => {} : clock.schedule(delayMs, wake)),
  };
  const { elector, stop } = candidate('a', store, clock, { clock: still });
  const acquiring = watched(elector.acquire(stop.signal));
  await settle();

  clock.advance(10_000);
  late.resolve();
  await settle();

  expect(acquiring.outcome).toBe('pending');
  expect(elector.isLeader).toBe(false);
});

test('[LE-7] [LE-8] failed requests for the Lease are retried for ever; each may take half of the renew deadline', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.treat = () => 'hang';
  const { elector, stop, lines } = candidate('a', store, clock);
  const acquiring = watched(elector.acquire(stop.signal));

  await clock.advanceAndSettle(6_999);
  store.treat = () => failure(403, 'Forbidden');
  await clock.advanceAndSettle(HOUR_MS);
  store.treat = () => 'serve';
  await clock.advanceAndSettle(3_000);

  expect(store.requests.slice(0, 2).map(({ atMs }) => atMs)).toEqual([0, 7_000]);
  expect(acquiring.outcome).toBe('resolved');
  const said = lines.filter(({ level }) => level === 'warn');
  expect(said).toHaveLength(1);
  expect(said[0]?.fields.err).toBeInstanceOf(AmbassadorError);
});

test('[LE-17] a candidate does not take a Lease if its preferredHolder is another process', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.edit({ spec: { strategy: 'OldestEmulationVersion', preferredHolder: 'b' } });
  const { elector, stop } = candidate('a', store, clock);
  const acquiring = watched(elector.acquire(stop.signal));
  await clock.advanceAndSettle(HOUR_MS);
  const before = acquiring.outcome;

  store.edit({ spec: { preferredHolder: 'a' } });
  await clock.advanceAndSettle(2_000);

  expect(before).toBe('pending');
  expect(acquiring.outcome).toBe('resolved');
  expect(store.lease?.spec).toMatchObject({
    strategy: 'OldestEmulationVersion',
    preferredHolder: 'a',
  });
});

test('[LE-14] each new leader is reported once', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.edit({ spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
  const { elector, stop, leaders, lines } = candidate('a', store, clock);
  const acquiring = watched(elector.acquire(stop.signal));

  await clock.advanceAndSettle(10_000);
  store.edit({ spec: { holderIdentity: 'c' } });
  await clock.advanceAndSettle(30_000);

  expect(acquiring.outcome).toBe('resolved');
  expect(leaders).toEqual(['b', 'c', 'a']);
  expect(elector.holder).toBe('a');
  const told = lines.filter(({ message }) => message === 'another process leads');
  expect(told.map(({ level, fields }) => [level, fields.holder])).toEqual([
    ['info', 'b'],
    ['info', 'c'],
  ]);
});

test('[LE-14] an onNewLeader callback that throws causes only a log line', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);

  const { elector, lines } = await leader('a', store, clock, {
    onNewLeader: () => {
      throw new Error('mine');
    },
  });

  expect(elector.isLeader).toBe(true);
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('an aborted candidacy rejects with the reason, leaves no timer behind and cannot be restarted', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.edit({ spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
  const { elector, stop } = candidate('a', store, clock);
  const acquiring = watched(elector.acquire(stop.signal));
  await settle();
  const reason = new Error('stopping');

  stop.abort(reason);
  await settle();

  expect(acquiring.outcome).toBe(reason);
  expect(clock.pending).toBe(0);
  await expect(elector.acquire(new AbortController().signal)).rejects.toMatchObject({
    code: 'LEADERSHIP_LOST',
  });
});

test('[LE-13] if a candidate wins the Lease after it has begun to stop, it releases the Lease', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop, lines } = candidate('a', store, clock);
  const reason = new Error('stopping');
  store.beforeAnswer = async ({ verb }) => {
    if (verb !== 'create') return;
    stop.abort(reason);
    await settle();
  };

  const acquiring = watched(elector.acquire(stop.signal));
  for (let turn = 0; turn < 4; turn++) await settle();

  expect(acquiring.outcome).toBe(reason);
  expect(store.verbsOf('a')).toEqual(['get', 'create', 'update']);
  expect(store.lease?.spec?.holderIdentity ?? '').toBe('');
  expect(elector.isLeader).toBe(false);
  expect(clock.pending).toBe(0);
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('[LE-13] a stopping elector waits for the response to a Lease write, but no longer than a request may take', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = candidate('a', store, clock);
  store.treat = ({ verb }) => (verb === 'create' ? 'hang' : 'serve');
  const acquiring = watched(elector.acquire(stop.signal));
  await settle();
  const reason = new Error('stopping');

  stop.abort(reason);
  await clock.advanceAndSettle(4_999);
  const before = acquiring.outcome;
  await clock.advanceAndSettle(1);

  expect([before, acquiring.outcome]).toEqual(['pending', reason]);
  expect(clock.pending).toBe(0);
});
