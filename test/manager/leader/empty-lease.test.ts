/** A Lease that is created without a holder, because somebody may have deleted one that had a holder. */
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { candidate, watched } from './candidate.ts';
import { FakeLeaseStore } from './fake-lease-store.ts';

const LEASE_MS = 15_000;

function setUp() {
  const clock = new FakeClock();
  const store = new FakeLeaseStore(clock);
  const stand = (identity: string) => candidate(identity, store, clock, { createsEmpty: true });
  return { clock, store, stand };
}

test('a missing Lease is created without a holder, and taken after its duration', async () => {
  const { clock, store, stand } = setUp();
  const { elector, stop } = stand('a');
  watched(elector.acquire(stop.signal));

  await clock.advanceAndSettle(LEASE_MS - 1);
  const before = store.lease?.spec;
  await clock.advanceAndSettle(5_000);

  expect(before).toEqual({ leaseDurationSeconds: LEASE_MS / 1_000, leaseTransitions: 0 });
  expect(elector.isLeader).toBe(true);
  expect(store.lease?.spec?.holderIdentity).toBe('a');
});

test('if a Lease that was taken is deleted, a new candidate still waits for a full lease duration', async () => {
  const { clock, store, stand } = setUp();
  const other = stand('b');
  watched(other.elector.acquire(other.stop.signal));
  await clock.advanceAndSettle(LEASE_MS + 5_000);
  const deletedAt = clock.monotonic();
  store.delete(); // `b` is not renewed: it cannot know

  const { elector, stop } = stand('a');
  watched(elector.acquire(stop.signal));
  await clock.advanceAndSettle(LEASE_MS - 1);
  const early = elector.isLeader;
  await clock.advanceAndSettle(5_000);

  expect(early).toBe(false);
  expect(elector.isLeader).toBe(true);
  expect(other.elector.isLeader).toBe(false);
  expect(deletedAt).toBeGreaterThan(0);
});

test.each([
  ['deleted, and created again by another candidate', 'delete'],
  ['edited to have no holder', 'empty'],
] as const)('a holder takes its Lease back after it was %s', async (_, how) => {
  const { clock, store, stand } = setUp();
  const { elector, stop } = stand('a');
  watched(elector.acquire(stop.signal));
  await clock.advanceAndSettle(LEASE_MS + 5_000);
  const renewing = watched(elector.renew(stop.signal));
  await clock.advanceAndSettle(2_500);

  if (how === 'empty') store.edit({ spec: { holderIdentity: '' } });
  else {
    store.delete();
    const other = stand('b');
    watched(other.elector.acquire(other.stop.signal));
    await clock.advanceAndSettle(0);
    expect(store.lease?.spec?.holderIdentity).toBeUndefined();
  }
  await clock.advanceAndSettle(30_000);

  expect(renewing.outcome).toBe('pending');
  expect(elector.isLeader).toBe(true);
  expect(store.lease?.spec?.holderIdentity).toBe('a');
});
