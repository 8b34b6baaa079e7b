/** A leader renews its Lease, and makes it anew after a delete. */

import { FakeClock } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { candidate, leader, watched } from './candidate.ts';
import { FakeLeaseStore, failure } from './fake-lease-store.ts';

test('[LE-6] a leader renews with one PUT every 2 s, with the known uid and resourceVersion', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const uid = store.lease?.metadata.uid;
  store.requests.length = 0;

  const renewing = watched(elector.renew(stop.signal));
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
  expect(renewing.outcome).toBe('pending');
  expect(elector.isLeader).toBe(true);
});

test('[LE-6] [LE-14] if another client changed the Lease, the leader reads it once, and keeps the change when it renews', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop, meter } = await leader('a', store, clock);
  watched(elector.renew(stop.signal));
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

test('[LE-6] an elector recognises its own renewal even if the response was lost', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const renewing = watched(elector.renew(stop.signal));
  store.treat = () => 'lose-answer';
  await clock.advanceAndSettle(6_999);
  store.treat = () => 'serve';
  await clock.advanceAndSettle(20_000);

  expect(renewing.outcome).toBe('pending');
  expect(store.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
});

test('[LE-7] a Lease request takes at most half of the renew deadline', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  watched(elector.renew(stop.signal));
  store.requests.length = 0;
  store.treat = () => 'hang';

  await clock.advanceAndSettle(9_999);

  expect(store.requests.map(({ atMs }) => atMs)).toEqual([2_000, 7_000]);
});

test('[LE-7] with a short renew deadline a Lease request may take a second', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 1_500, retryPeriodMs: 1_000 };
  store.treat = () => 'hang';
  const { elector, stop } = candidate('a', store, clock, timing);

  watched(elector.acquire(stop.signal));
  await clock.advanceAndSettle(4_000);

  expect(store.requests.map(({ atMs }) => atMs)).toEqual([0, 2_000, 4_000]);
});

describe('[LE-8] a Lease that was deleted', () => {
  test('a deleted Lease is created again, and is not restored by a PUT', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, stop } = await leader('a', store, clock);
    const renewing = watched(elector.renew(stop.signal));
    store.requests.length = 0;

    store.delete();
    await clock.advanceAndSettle(4_000);

    expect(store.verbsOf('a')).toEqual(['update', 'get', 'create', 'update']);
    expect(store.lease?.metadata.uid).toBe('uid-2');
    expect(renewing.outcome).toBe('pending');
  });

  test('a leader loses its deleted Lease if another process creates it first', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, stop } = await leader('a', store, clock);
    const renewing = watched(elector.renew(stop.signal));
    store.treat = ({ verb }) => {
      if (verb === 'create') store.edit({ spec: { holderIdentity: 'b' } });
      return 'serve';
    };

    store.delete();
    await clock.advanceAndSettle(2_000);

    expect(renewing.outcome).toMatchObject({ context: { holder: 'b' } });
  });

  test('a leader does not create its deleted Lease again after the deadline, when another process may lead', async () => {
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
    const renewing = watched(elector.renew(stop.signal));

    store.delete();
    await clock.advanceAndSettle(2_000);

    expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
    expect(store.lease).toBeUndefined();
  });
});

test('[LE-8] after a failed renewal, the write deadline counts from the beginning of the next successful renewal', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const renewing = watched(elector.renew(stop.signal));
  store.treat = () => failure(503, 'ServiceUnavailable');
  await clock.advanceAndSettle(7_000);
  store.treat = () => 'serve';
  await clock.advanceAndSettle(1_000);
  store.treat = () => 'hang';

  const deadlineAt = elector.writeDeadlineAt();
  await clock.advanceAndSettle(9_999);

  expect(deadlineAt).toBe(8_000 + 14_000);
  expect(renewing.outcome).toBe('pending');
  await clock.advanceAndSettle(1);
  expect(renewing.outcome).toMatchObject({ layer: 'ambassador' });
});
