/** How leadership is given back, and who is told that it began and ended. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { AmbassadorError } from '../../../operator/core/errors.ts';
import { type Candidate, candidate, leader, watched } from './candidate.ts';
import { FakeLeaseStore, failure } from './fake-lease-store.ts';

const REFUSED = new AmbassadorError('refused', {
  code: 'AMBASSADOR_UNREACHABLE',
  fate: 'not-sent',
});
const STATUS = 'leader_election_master_status';

/** A leader that has renewed for a while, and holds its Lease no longer. */
async function doneLeader(
  store: FakeLeaseStore,
  clock: FakeClock,
): Promise<Candidate & { readonly name: string }> {
  const name = 'a';
  const led = await leader(name, store, clock);
  const renewing = led.elector.renew(led.stop.signal);
  await clock.advanceAndSettle(5_000);
  led.stop.abort();
  await renewing;
  store.requests.length = 0;
  return { ...led, name };
}

test('proxy 22: if releasing the Lease takes too long, the log contains the cause, not only the timeout', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, lines } = await doneLeader(store, clock);
  store.treat = ({ verb }) => (verb === 'event' ? 'serve' : REFUSED);

  const releasing = watched(elector.release(3_000));
  await clock.advanceAndSettle(2_999);
  const before = releasing.outcome;
  await clock.advanceAndSettle(1);

  expect([before, releasing.outcome]).toEqual(['pending', 'resolved']);
  expect(lines.at(-1)).toMatchObject({
    level: 'warn',
    message: 'the Lease was not released, it expires',
    fields: { err: REFUSED },
  });
});

test('[LE-13] a released Lease has no holder, a duration of a second and the same transition count as before', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  store.edit({ spec: { leaseTransitions: 4, strategy: 'OldestEmulationVersion' } });
  const { elector } = await doneLeader(store, clock);

  await elector.release();

  expect(store.verbsOf('a')).toEqual(['event', 'update']);
  expect(store.lease?.spec).toEqual({
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: '1970-01-01T00:00:05.000000Z',
    renewTime: '1970-01-01T00:00:05.000000Z',
    leaseTransitions: 5,
    strategy: 'OldestEmulationVersion',
  });
});

test.each([
  0, 0.999,
])('[LE-13] a standby with the random number %f leads within 2.2 retry periods of a release', async (random) => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await leader('a', store, clock);
  const renewing = elector.renew(stop.signal);
  const standby = candidate('b', store, clock, { random: () => random });
  const acquiring = watched(standby.elector.acquire(standby.stop.signal));
  await clock.advanceAndSettle(60_000);
  const before = acquiring.outcome;

  stop.abort();
  await renewing;
  await elector.release();
  await clock.advanceAndSettle(2_000 * 2.2 + 1_000 - 1);

  expect(before).toBe('pending');
  expect(acquiring.outcome).toBe('resolved');
});

test('[LE-13] from the beginning of a release on, the fence refuses all writes', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector } = await doneLeader(store, clock);
  store.treat = () => 'hang';

  const releasing = watched(elector.release());

  expect(() => elector.writeDeadlineAt()).toThrow('has given up');
  expect(elector.isLeader).toBe(false);
  expect(elector.healthy).toBe(true);
  await clock.advanceAndSettle(10_000);
  expect(releasing.outcome).toBe('resolved');
  expect(clock.pending).toBe(0);
});

test('[LE-13] a failed release is retried for as long as the renew deadline allows', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, lines } = await doneLeader(store, clock);
  store.treat = () => REFUSED;

  const releasing = watched(elector.release());
  await clock.advanceAndSettle(9_999);
  const before = releasing.outcome;
  await clock.advanceAndSettle(1);

  expect(before).toBe('pending');
  expect(releasing.outcome).toBe('resolved');
  expect(store.lease?.spec?.holderIdentity).toBe('a');
  expect(lines.at(-1)).toMatchObject({ level: 'warn', fields: { err: expect.any(Error) } });
  expect(store.verbsOf('a').length).toBeGreaterThan(4);
});

test('[LE-13] a release that meets a version conflict reads the Lease, and then succeeds', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector } = await doneLeader(store, clock);
  store.edit({ labels: { touched: 'yes' } });

  await elector.release();

  expect(store.verbsOf('a')).toEqual(['event', 'update', 'get', 'update']);
  expect(store.lease).toMatchObject({
    metadata: { labels: { touched: 'yes' } },
    spec: { holderIdentity: '' },
  });
});

test.each([
  ['of another holder', (store: FakeLeaseStore) => store.edit({ spec: { holderIdentity: 'b' } })],
  ['that is gone', (store: FakeLeaseStore) => store.delete()],
])('[LE-13] a release does not change a Lease %s', async (_what, change) => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector } = await doneLeader(store, clock);
  change(store);
  const { lease } = store;

  await elector.release();

  expect(store.lease).toEqual(lease);
  expect(store.verbsOf('a')).toEqual(['event', 'update', 'get']);
});

test.each([
  ['never led', async () => {}],
  [
    'knows that it has lost the Lease',
    async (store: FakeLeaseStore, clock: FakeClock, { elector, stop }: Candidate) => {
      await elector.acquire(stop.signal);
      store.treat = () => failure(503, 'ServiceUnavailable');
      const renewing = watched(elector.renew(stop.signal));
      await clock.advanceAndSettle(30_000);
      expect(renewing.outcome).toBeInstanceOf(Error);
    },
  ],
  [
    'has lost the Lease without knowing it',
    async (_store: FakeLeaseStore, clock: FakeClock, { elector, stop }: Candidate) => {
      await elector.acquire(stop.signal);
      clock.advance(10_000);
    },
  ],
])('[LE-13] a process that %s does not release the Lease', async (_what, prepare) => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const one = candidate('a', store, clock);
  await prepare(store, clock, one);
  store.treat = () => 'serve';
  const { lease } = store;

  await one.elector.release();

  expect(store.lease).toEqual(lease);
});

test('[D-3] a holder that stops without a release does not change the Lease after its last renewal', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);

  await doneLeader(store, clock);
  await clock.advanceAndSettle(60_000);

  expect(store.requests).toEqual([]);
  expect(store.lease?.spec).toMatchObject({
    holderIdentity: 'a',
    renewTime: '1970-01-01T00:00:04.000000Z',
  });
});

describe('[LE-14] metrics, Events and log of an election', () => {
  test('the leader metric is 0 for a candidate, 1 for the leader, 0 after the release', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    store.edit({ spec: { holderIdentity: 'b', leaseDurationSeconds: 1 } });
    const { elector, stop, meter } = candidate('a', store, clock);
    const readings: unknown[] = [];
    const read = (): void => {
      readings.push(meter.snapshot()[`${STATUS}{name="operator"}`]);
    };

    const acquiring = elector.acquire(stop.signal);
    await settle();
    read();
    await clock.advanceAndSettle(2_000);
    await acquiring;
    read();
    await elector.release();
    read();

    expect(readings).toEqual([0, 1, 0]);
  });

  test('the leader metric is 0 after the leadership was lost', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, meter } = await leader('a', store, clock);

    clock.advance(10_000);
    expect(() => elector.writeDeadlineAt()).toThrow();

    expect(meter.snapshot()[`${STATUS}{name="operator"}`]).toBe(0);
  });

  test('Events about the Lease say who became leader and who stopped leading', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector } = await doneLeader(store, clock);

    await elector.release();

    expect(store.events.map(({ note }) => note)).toEqual(['a became leader', 'a stopped leading']);
    expect(store.events[1]).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      metadata: { namespace: 'demo', name: expect.stringMatching(/^operator\.[0-9a-f]+$/) },
      type: 'Normal',
      reason: 'LeaderElection',
      eventTime: '1970-01-01T00:00:05.000000Z',
      regarding: { kind: 'Lease', namespace: 'demo', name: 'operator', uid: 'uid-1' },
    });
  });

  test('a hanging Event does not delay leadership, and delays the release of the Lease by at most a second', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    store.treat = ({ verb }) => (verb === 'event' ? 'hang' : 'serve');
    const { elector } = await leader('a', store, clock);
    const releasing = watched(elector.release());

    await clock.advanceAndSettle(999);
    const before = releasing.outcome;
    await clock.advanceAndSettle(1_001);

    expect(before).toBe('pending');
    expect(releasing.outcome).toBe('resolved');
    expect(store.lease?.spec?.holderIdentity).toBe('');
  });

  test('after losing its Lease a leader sends an Event only while no other process can lead, and aborts it if it hangs', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, stop } = await leader('a', store, clock);
    const renewing = watched(elector.renew(stop.signal));
    store.treat = () => 'hang';
    await clock.advanceAndSettle(10_000);
    const settled = watched(elector.settled());

    await clock.advanceAndSettle(3_999);
    const before = settled.outcome;
    await clock.advanceAndSettle(1);

    expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
    expect(store.requests.at(-1)).toMatchObject({ verb: 'event', atMs: 10_000 });
    expect(before).toBe('pending');
    expect(settled.outcome).toBe('resolved');
    expect(clock.pending).toBe(0);
  });

  test('no Event is sent after another process has taken the Lease, or after a stall past the write deadline', async () => {
    const clock = new FakeClock();
    const taken = new FakeLeaseStore(clock);
    const one = await leader('a', taken, clock);
    watched(one.elector.renew(one.stop.signal));
    const slept = new FakeLeaseStore(clock);
    const two = await leader('a', slept, clock);

    taken.edit({ spec: { holderIdentity: 'b' } });
    await clock.advanceAndSettle(2_000);
    clock.advance(12_000);
    expect(() => two.elector.writeDeadlineAt()).toThrow();
    await settle();

    expect(one.elector.isLeader).toBe(false);
    expect(taken.events.map(({ note }) => note)).toEqual(['a became leader']);
    expect(slept.events.map(({ note }) => note)).toEqual(['a became leader']);
  });

  test('the log of a leader reports the candidacy, the beginning of its leadership and the release', async () => {
    const clock = new FakeClock();
    const { elector, lines } = await doneLeader(new FakeLeaseStore(clock), clock);

    await elector.release();

    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info stands for leadership',
      'info leads',
      'info leadership released',
    ]);
  });

  test('renewals that fail and succeed in turn for an hour cause at most ten log lines', async () => {
    const clock = new FakeClock();
    const store = new FakeLeaseStore(clock);
    const { elector, stop, lines } = await leader('a', store, clock);
    const renewing = watched(elector.renew(stop.signal));
    store.treat = ({ atMs }) => (atMs % 4_000 === 0 ? REFUSED : 'serve');

    await clock.advanceAndSettle(3_600_000);

    expect(renewing.outcome).toBe('pending');
    const said = lines.filter(({ message }) => message.startsWith('the Lease'));
    expect(said.length).toBeGreaterThan(0);
    expect(said.length).toBeLessThanOrEqual(10);
  });
});
