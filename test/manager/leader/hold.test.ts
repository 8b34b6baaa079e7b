/** How a leader keeps its leadership, how it loses it, and what it may still do then. */
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../operator/core/clock.ts';
import { AmbassadorError } from '../../../operator/core/errors.ts';
import { FakeClock, settle } from '../../../operator/testing/fake-clock.ts';
import { candidate, leader, watched } from './candidate.ts';
import { FakeLeaseStore, failure } from './fake-lease-store.ts';

const REFUSED = new AmbassadorError('refused', {
  code: 'AMBASSADOR_UNREACHABLE',
  fate: 'not-sent',
});

test('LE-6 a leader renews with one PUT every 2 s, with the uid and version of what it knows', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const uid = store.lease?.metadata.uid;
  store.requests.length = 0;

  const holding = watched(elector.hold(stop.signal));
  await clock.advanceAndSettle(60_000);

  expect(store.requests.map(({ verb, atMs }) => [verb, atMs])).toEqual(
    Array.from({ length: 30 }, (_, index) => ['update', (index + 1) * 2_000]),
  );
  expect(store.requests.map(({ body }) => body?.metadata.uid)).toEqual(Array(30).fill(uid));
  expect(new Set(store.requests.map(({ body }) => body?.metadata.resourceVersion)).size).toBe(30);
  expect(store.lease?.spec).toMatchObject({
    acquireTime: '1970-01-01T00:00:00.000000Z',
    renewTime: '1970-01-01T00:01:00.000000Z',
    leaseTransitions: 0,
  });
  expect(holding.outcome).toBe('pending');
  expect(elector.isLeader).toBe(true);
});

test('LE-6 LE-14 a record that somebody touched is read once, and renewed with what they wrote', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop, meter } = await leader('a', store, clock);
  watched(elector.hold(stop.signal));
  const atFirst = meter.value('leader_election_slowpath_total', { name: 'operator' });
  store.requests.length = 0;

  store.edit({ labels: { touched: 'yes' }, spec: { strategy: 'OldestEmulationVersion' } });
  await clock.advanceAndSettle(4_000);

  expect(store.verbsOf('a')).toEqual(['update', 'get', 'update', 'update']);
  expect(store.lease?.metadata.labels).toEqual({ touched: 'yes' });
  expect(store.lease?.spec?.strategy).toBe('OldestEmulationVersion');
  expect(atFirst).toBe(0);
  expect(meter.value('leader_election_slowpath_total', { name: 'operator' })).toBe(1);
});

test('LE-6 who finds another holder has lost at that moment, and by then its process must be gone', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop, lines, leaders } = await leader('a', store, clock);
  const holding = watched(elector.hold(stop.signal));

  store.edit({ spec: { holderIdentity: 'b' } });
  await clock.advanceAndSettle(2_000);

  expect(holding.outcome).toMatchObject({
    code: 'LEADERSHIP_LOST',
    layer: 'api-server',
    context: { holder: 'b' },
  });
  expect(elector.isLeader).toBe(false);
  expect(elector.holder).toBe('b');
  expect(leaders).toEqual(['a', 'b']);
  expect(elector.exitBy).toBeLessThan(clock.monotonic());
  expect(() => elector.writeDeadlineAt()).toThrow(
    expect.objectContaining(holding.outcome as Error),
  );
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('LE-6 a record without a holder is not ours any more', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const holding = watched(elector.hold(stop.signal));

  store.edit({ spec: { holderIdentity: '' } });
  await clock.advanceAndSettle(2_000);

  expect(holding.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
  expect(store.lease?.spec?.holderIdentity).toBe('');
});

test('LE-6 a renewal whose answer was lost is found to be ours', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const holding = watched(elector.hold(stop.signal));
  store.treat = () => 'lose-answer';
  await clock.advanceAndSettle(6_999);
  store.treat = () => 'serve';
  await clock.advanceAndSettle(20_000);

  expect(holding.outcome).toBe('pending');
  expect(store.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
});

test('LE-7 a request about the Lease takes at most half of the renew deadline', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  watched(elector.hold(stop.signal));
  store.requests.length = 0;
  store.treat = () => 'hang';

  await clock.advanceAndSettle(9_999);

  expect(store.requests.map(({ atMs }) => atMs)).toEqual([2_000, 7_000]);
});

test('LE-7 of a short renew deadline it takes a second', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 1_500, retryPeriodMs: 1_000 };
  store.treat = () => 'hang';
  const { elector, stop } = candidate('a', store, clock, timing);

  watched(elector.acquire(stop.signal));
  await clock.advanceAndSettle(4_000);

  expect(store.requests.map(({ atMs }) => atMs)).toEqual([0, 2_000, 4_000]);
});

describe('LE-8 a Lease that was deleted', () => {
  test('is made anew, and is not brought back by a PUT', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, stop } = await leader('a', store, clock);
    const holding = watched(elector.hold(stop.signal));
    store.requests.length = 0;

    store.delete();
    await clock.advanceAndSettle(4_000);

    expect(store.verbsOf('a')).toEqual(['update', 'get', 'create', 'update']);
    expect(store.lease?.metadata.uid).toBe('uid-2');
    expect(holding.outcome).toBe('pending');
  });

  test('and made by another in between is lost', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, stop } = await leader('a', store, clock);
    const holding = watched(elector.hold(stop.signal));
    store.treat = ({ verb }) => {
      if (verb === 'create') store.edit({ spec: { holderIdentity: 'b' } });
      return 'serve';
    };

    store.delete();
    await clock.advanceAndSettle(2_000);

    expect(holding.outcome).toMatchObject({ context: { holder: 'b' } });
  });

  test('is not made when nobody can say any more that no other leads', async () => {
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
    // The answer is there after a stall, and before any timer has fired.
    store.beforeAnswer = ({ verb }) => {
      if (verb === 'get') stalledMs = 8_000;
    };
    const holding = watched(elector.hold(stop.signal));

    store.delete();
    await clock.advanceAndSettle(2_000);

    expect(holding.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
    expect(store.lease).toBeUndefined();
  });
});

test.each([
  ['403', failure(403, 'Forbidden'), 'api-server'],
  ['401', failure(401, 'Unauthorized'), 'api-server'],
  ['500', failure(500, 'InternalError'), 'api-server'],
  ['a dead ambassador', REFUSED, 'ambassador'],
])('LE-8 LE-9 after %s a leader tries every 2 s, until it must stop', async (_what, error, layer) => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop, lines } = await leader('a', store, clock);
  const holding = watched(elector.hold(stop.signal));
  store.requests.length = 0;
  store.treat = ({ verb }) => (verb === 'event' ? 'serve' : error);

  await clock.advanceAndSettle(9_999);
  const before = holding.outcome;
  await clock.advanceAndSettle(1);

  expect(before).toBe('pending');
  expect(holding.outcome).toMatchObject({ code: 'LEADERSHIP_LOST', layer, cause: error });
  expect(store.verbsOf('a')).toEqual(['update', 'update', 'update', 'update', 'event']);
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'leadership lost', fields: { layer, lease: 'demo/operator' } },
  ]);
});

test('LE-8 one failure costs nothing: the next renewal counts from its own beginning', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const holding = watched(elector.hold(stop.signal));
  store.treat = () => failure(503, 'ServiceUnavailable');
  await clock.advanceAndSettle(7_000);
  store.treat = () => 'serve';
  await clock.advanceAndSettle(1_000);
  store.treat = () => 'hang';

  const deadlineAt = elector.writeDeadlineAt();
  await clock.advanceAndSettle(9_999);

  expect(deadlineAt).toBe(8_000 + 14_000);
  expect(holding.outcome).toBe('pending');
  await clock.advanceAndSettle(1);
  expect(holding.outcome).toMatchObject({ layer: 'ambassador' });
});

describe('LE-9 LE-10 writes', () => {
  test('may begin until the renew deadline and must end a second before the lease does', async () => {
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

  test('count from the beginning of the request that was good, not from its answer', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    store.beforeAnswer = ({ verb }) => {
      if (verb === 'create') clock.advance(3_000);
    };

    const { elector } = await leader('a', store, clock);

    expect(clock.monotonic()).toBe(3_000);
    expect(elector.writeDeadlineAt()).toBe(14_000);
  });

  test('count from the beginning of a renewal, too, not from its answer', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, stop } = await leader('a', store, clock);
    const answer = Promise.withResolvers<void>();
    store.beforeAnswer = () => answer.promise;
    watched(elector.hold(stop.signal));
    await clock.advanceAndSettle(2_000);

    clock.advance(3_000);
    answer.resolve();
    await settle();

    expect(elector.writeDeadlineAt()).toBe(16_000);
  });

  test('may not begin before there is a leader', () => {
    const clock = new FakeClock();
    const { elector } = candidate('a', new FakeLeaseStore(clock), clock);

    expect(() => elector.writeDeadlineAt()).toThrow('does not lead');
  });
});

test('LE-9 a renewal that is answered after the deadline brings nothing back', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const answer = Promise.withResolvers<void>();
  store.beforeAnswer = () => answer.promise;
  const holding = watched(elector.hold(stop.signal));
  await clock.advanceAndSettle(9_000);

  clock.advance(1_500);
  answer.resolve();
  await settle();

  expect(holding.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
  expect(() => elector.writeDeadlineAt()).toThrow();
});

test('LE-11 after a stall the first who asks is refused, and the process is named as at fault', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  // Time passes and no timer fires: what a blocked event loop is to the code in it.
  const stalled: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: () => () => {},
  };
  const { elector, stop } = await leader('a', store, clock, { clock: stalled });
  const holding = watched(elector.hold(stop.signal));

  clock.advance(20_000);
  const refused = (): number => elector.writeDeadlineAt();

  expect(refused).toThrow('did not run');
  await settle();
  expect(holding.outcome).toMatchObject({ layer: 'process', context: { lateMs: 10_000 } });
  expect(store.verbsOf('a')).toEqual(['get', 'create', 'event']);
});

test.each([
  [1_999, 'leads on'],
  [2_001, 'has lost'],
])('LE-11 where the wall clock has gained %i ms on the other, a leader %s', async (gainMs, what) => {
  const clock = new FakeClock();
  let wallAhead = 0;
  const suspended: Clock = {
    now: () => clock.now() + wallAhead,
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, wake) => clock.schedule(delayMs, wake),
  };
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock, { clock: suspended });
  const holding = watched(elector.hold(stop.signal));
  await clock.advanceAndSettle(3_000);

  wallAhead = gainMs;
  const isLeader = elector.isLeader;
  await clock.advanceAndSettle(3_000);

  expect(isLeader).toBe(what === 'leads on');
  if (what === 'leads on') expect(holding.outcome).toBe('pending');
  else
    expect(holding.outcome).toMatchObject({ layer: 'process', context: { suspendedMs: gainMs } });
});

test('LE-11 a suspension during a renewal is not hidden by its success', async () => {
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
  const holding = watched(elector.hold(stop.signal));

  await clock.advanceAndSettle(2_000);

  expect(holding.outcome).toMatchObject({ layer: 'process' });
  expect(elector.exitBy).toBeLessThan(clock.monotonic());
});

test('LE-12 who has lost does not stand again, and asks the server nothing more', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const holding = watched(elector.hold(stop.signal));
  store.edit({ spec: { holderIdentity: 'b', leaseDurationSeconds: 1 } });
  await clock.advanceAndSettle(2_000);
  const asked = store.requests.length;

  const again = watched(elector.acquire(stop.signal));
  const held = watched(elector.hold(stop.signal));
  await clock.advanceAndSettle(600_000);

  expect(again.outcome).toBe(holding.outcome);
  expect(held.outcome).toBe(holding.outcome);
  expect(store.requests).toHaveLength(asked);
  expect(clock.pending).toBe(0);
});

test('LE-15 who led and is still there 20 s after its lease has expired is unwell', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const standby = candidate('b', store, clock);
  const holding = watched(elector.hold(stop.signal));
  await clock.advanceAndSettle(60_000);
  store.treat = () => REFUSED;

  const wasHealthy = elector.healthy;
  await clock.advanceAndSettle(35_000);
  const isHealthyAtTheLimit = elector.healthy;
  await clock.advanceAndSettle(1);

  expect(holding.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
  expect([wasHealthy, isHealthyAtTheLimit, elector.healthy]).toEqual([true, true, false]);
  expect(standby.elector.healthy).toBe(true);
});

test('LE-17 a leader yields to a preferred one, and has until its lease ends to stop', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const holding = watched(elector.hold(stop.signal));
  await clock.advanceAndSettle(3_000);

  store.edit({ spec: { strategy: 'OldestEmulationVersion', preferredHolder: 'b' } });
  await clock.advanceAndSettle(1_000);
  const renewedAt = store.lease?.spec?.renewTime;
  await clock.advanceAndSettle(10_000);

  expect(holding.outcome).toMatchObject({ code: 'LEADERSHIP_LOST', context: { holder: 'b' } });
  expect(() => elector.writeDeadlineAt()).toThrow('should lead');
  expect(elector.exitBy).toBe(2_000 + 14_000);
  expect(renewedAt).toBe('1970-01-01T00:00:02.000000Z');
  expect(store.lease?.spec).toMatchObject({
    holderIdentity: 'a',
    strategy: 'OldestEmulationVersion',
    preferredHolder: 'b',
    renewTime: renewedAt,
  });
});

test('H61 a leader whose API server stalls stops before another can lead', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const old = await leader('old', store, clock);
  const holding = watched(old.elector.hold(old.stop.signal));
  const next = candidate('new', store, clock);
  watched(next.elector.acquire(next.stop.signal));
  await clock.advanceAndSettle(60_000);
  const both: number[] = [];
  const stoppedAt: number[] = [];

  store.treat = ({ who }) => (who === 'old' ? 'hang' : 'serve');
  while (!next.elector.isLeader) {
    await clock.advanceAndSettle(100);
    if (old.elector.isLeader) stoppedAt[0] = clock.monotonic();
    if (old.elector.isLeader && next.elector.isLeader) both.push(clock.monotonic());
  }

  expect(both).toEqual([]);
  expect(holding.outcome).toMatchObject({ layer: 'ambassador' });
  expect(stoppedAt[0]).toBe(69_900);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(75_000);
  expect(store.lease?.spec?.holderIdentity).toBe('new');
});

test('LE-10 Events pass for a candidate, and for one that has lost until another may begin', async () => {
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

test('LE-10 no Event passes of one that was deprived, or has given up', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const done = await leader('a', store, clock);
  await done.elector.release();
  const next = await leader('b', store, clock);
  watched(next.elector.hold(next.stop.signal));

  store.edit({ spec: { holderIdentity: 'c' } });
  await clock.advanceAndSettle(2_000);

  expect(() => done.elector.eventFence.writeDeadlineAt()).toThrow('has given up');
  expect(() => next.elector.eventFence.writeDeadlineAt()).toThrow('another process holds');
});

test('LE-11 a renewal that is answered after a stall past the deadline brings nothing back', async () => {
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
  const holding = watched(elector.hold(stop.signal));
  store.beforeAnswer = () => {
    stalledMs = 9_000; // 11 s after the last good one, 9 s after the beginning of this one
  };

  await clock.advanceAndSettle(2_000);

  expect(holding.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
});
