/**
 * A leader loses its Lease to another holder, or because it cannot renew it. It does not stand
 * again.
 */

import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AmbassadorError } from '../../../operator/core/errors.ts';
import { candidate, leader, watched } from './candidate.ts';
import { FakeLeaseStore, failure } from './fake-lease-store.ts';

const REFUSED = new AmbassadorError('refused', {
  code: 'AMBASSADOR_UNREACHABLE',
  fate: 'not-sent',
});

test('[LE-6] a leader that finds another holder in its Lease loses leadership at that moment, and must exit at once', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop, lines, leaders } = await leader('a', store, clock);
  const renewing = watched(elector.renew(stop.signal));

  store.edit({ spec: { holderIdentity: 'b' } });
  await clock.advanceAndSettle(2_000);

  expect(renewing.outcome).toMatchObject({
    code: 'LEADERSHIP_LOST',
    layer: 'api-server',
    context: { holder: 'b' },
  });
  expect(elector.isLeader).toBe(false);
  expect(elector.holder).toBe('b');
  expect(leaders).toEqual(['a', 'b']);
  expect(elector.exitBy).toBeLessThan(clock.monotonic());
  expect(() => elector.writeDeadlineAt()).toThrow(
    expect.objectContaining(renewing.outcome as Error),
  );
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('[LE-6] a leader that finds no holder in its Lease loses leadership', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const renewing = watched(elector.renew(stop.signal));

  store.edit({ spec: { holderIdentity: '' } });
  await clock.advanceAndSettle(2_000);

  expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
  expect(store.lease?.spec?.holderIdentity).toBe('');
});

test.each([
  ['403', failure(403, 'Forbidden'), 'api-server'],
  ['401', failure(401, 'Unauthorized'), 'api-server'],
  ['500', failure(500, 'InternalError'), 'api-server'],
  ['a dead ambassador', REFUSED, 'ambassador'],
])('[LE-8] [LE-9] after %s a leader retries its renewal every 2 s, until it must stop', async (_what, error, layer) => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop, lines } = await leader('a', store, clock);
  const renewing = watched(elector.renew(stop.signal));
  store.requests.length = 0;
  store.treat = ({ verb }) => (verb === 'event' ? 'serve' : error);

  await clock.advanceAndSettle(9_999);
  const before = renewing.outcome;
  await clock.advanceAndSettle(1);

  expect(before).toBe('pending');
  expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST', layer, cause: error });
  expect(store.verbsOf('a')).toEqual(['update', 'update', 'update', 'update', 'event']);
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'leadership lost', fields: { layer, lease: 'demo/operator' } },
  ]);
});

test('[LE-12] an elector that has lost its Lease does not become a candidate again, and sends no more requests', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const renewing = watched(elector.renew(stop.signal));
  store.edit({ spec: { holderIdentity: 'b', leaseDurationSeconds: 1 } });
  await clock.advanceAndSettle(2_000);
  const asked = store.requests.length;

  const again = watched(elector.acquire(stop.signal));
  const held = watched(elector.renew(stop.signal));
  await clock.advanceAndSettle(600_000);

  expect(again.outcome).toBe(renewing.outcome);
  expect(held.outcome).toBe(renewing.outcome);
  expect(store.requests).toHaveLength(asked);
  expect(clock.pending).toBe(0);
});

test('[LE-15] a former leader that still runs 20 s after its Lease expired counts as unhealthy', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const standby = candidate('b', store, clock);
  const renewing = watched(elector.renew(stop.signal));
  await clock.advanceAndSettle(60_000);
  store.treat = () => REFUSED;

  const wasHealthy = elector.healthy;
  await clock.advanceAndSettle(35_000);
  const isHealthyAtTheLimit = elector.healthy;
  await clock.advanceAndSettle(1);

  expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
  expect([wasHealthy, isHealthyAtTheLimit, elector.healthy]).toEqual([true, true, false]);
  expect(standby.elector.healthy).toBe(true);
});

test('[LE-17] a leader gives up a Lease with another preferredHolder, and must stop before the Lease ends', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const renewing = watched(elector.renew(stop.signal));
  await clock.advanceAndSettle(3_000);

  store.edit({ spec: { strategy: 'OldestEmulationVersion', preferredHolder: 'b' } });
  await clock.advanceAndSettle(1_000);
  const renewedAt = store.lease?.spec?.renewTime;
  await clock.advanceAndSettle(10_000);

  expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST', context: { holder: 'b' } });
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

test('[H61] if the API server stalls, the leader stops before another process can lead', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const old = await leader('old', store, clock);
  const renewing = watched(old.elector.renew(old.stop.signal));
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
  expect(renewing.outcome).toMatchObject({ layer: 'ambassador' });
  expect(stoppedAt[0]).toBe(69_900);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(75_000);
  expect(store.lease?.spec?.holderIdentity).toBe('new');
});
