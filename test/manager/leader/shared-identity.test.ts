/** Processes that hold one Lease together, under one identity. */
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { sleep } from '../../../operator/core/clock.ts';
import { type Candidate, candidate, watched } from './candidate.ts';
import { FakeLeaseStore } from './fake-lease-store.ts';

const TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 5_000 };

/** A process that has acquired the Lease of the store, under the identity of all. */
async function sharer(name: string, store: FakeLeaseStore, clock: FakeClock): Promise<Candidate> {
  const options = { ...TIMES, client: store.clientOf(name), isShared: true } as const;
  const sharing = candidate('all', store, clock, options);
  const acquired = watched(sharing.elector.acquire(sharing.stop.signal));
  await clock.advanceAndSettle(0);
  expect(acquired.outcome).toBe('resolved');
  return sharing;
}

test('64 processes with the same identity keep the Lease when they renew at the same time, with at most four requests each', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const all: Candidate[] = [];
  for (let index = 0; index < 64; index++) {
    all.push(await sharer(`replica-${index}`, store, clock));
  }
  store.beforeAnswer = () => sleep(clock, 5, new AbortController().signal);
  const renewing = all.map(({ elector, stop }) => watched(elector.renew(stop.signal)));
  const from = store.requests.length;
  const periods = 60;

  await clock.advanceAndSettle(periods * 5_000);

  expect(new Set(renewing.map(({ outcome }) => outcome))).toEqual(new Set(['pending']));
  expect(all.every(({ elector }) => elector.isLeader)).toBe(true);
  expect(store.requests.length - from).toBeLessThanOrEqual(64 * periods * 4);
});

test('if another process with the same identity renewed the Lease, the deadline counts from the last read before that', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await sharer('one', store, clock);
  watched(elector.renew(stop.signal));
  // Another process is faster before each write of this one, and each read takes a second.
  store.treat = ({ verb }) => {
    if (verb === 'update') store.edit({ spec: { renewTime: `${store.requests.length}` } });
    return 'serve';
  };
  store.beforeAnswer = ({ verb }) =>
    verb === 'get' ? sleep(clock, 1_000, new AbortController().signal) : undefined;

  await clock.advanceAndSettle(8_000);

  const [first] = store.requests.filter(({ verb, atMs }) => verb === 'get' && atMs >= 5_000);
  const readAt = first?.atMs ?? 0;
  expect(readAt).toBe(5_000);
  expect(elector.writeDeadlineAt()).toBe(readAt + TIMES.leaseDurationMs - 1_000);
});

test('a process loses the Lease when a different identity has taken it, however often it reads the Lease', async () => {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const { elector, stop } = await sharer('one', store, clock);
  const renewing = watched(elector.renew(stop.signal));
  let updates = 0;
  store.treat = ({ verb }) => {
    if (verb === 'update')
      store.edit({ spec: { holderIdentity: ++updates > 1 ? 'other' : 'all' } });
    return 'serve';
  };

  await clock.advanceAndSettle(5_000);

  expect(renewing.outcome).toMatchObject({ code: 'LEADERSHIP_LOST' });
});
