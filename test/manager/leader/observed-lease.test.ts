import { expect, test } from 'vitest';
import {
  newLease,
  ObservedLease,
  released,
  type StoredLease,
} from '../../../operator/manager/leader/lease-record.ts';

const LEASE_MS = 15_000;

let versions = 0;

function lease(spec: object): StoredLease {
  const made = newLease(
    { namespace: 'n', name: 'leader' },
    { identity: 'a', leaseDurationMs: LEASE_MS, nowMs: 0 },
  );
  const metadata = { ...made.metadata, uid: 'u', resourceVersion: String(++versions) };
  return { ...made, metadata, spec: { ...made.spec, ...spec } } as StoredLease;
}

/** A record that `a` holds, seen at 1 s. */
function heldByA(): ObservedLease {
  const observed = new ObservedLease(LEASE_MS, 3_600_000);
  observed.see(lease({}), 1_000);
  return observed;
}

test.each<[edited: string, spec: object]>([
  ['another holder', { holderIdentity: 'x' }],
  ['another holder with a duration of a second', { holderIdentity: 'x', leaseDurationSeconds: 1 }],
  ['no holder', { holderIdentity: '' }],
  ['a duration of a second for the same holder', { leaseDurationSeconds: 1 }],
  ['a negative duration', { leaseDurationSeconds: -5 }],
  ['a year', { holderIdentity: 'x', leaseDurationSeconds: 31_536_000 }],
  ['the name of the candidate', { holderIdentity: 'b', leaseDurationSeconds: 1 }],
])('if a Lease is edited to have %s, its holder keeps it for one more lease duration, and no longer', (_, spec) => {
  const observed = heldByA();

  observed.see(lease(spec), 5_000);

  expect(observed.isOfAnother('b', 5_000 + LEASE_MS - 1)).toBe(true);
  expect(observed.isOfAnother('b', 5_000 + LEASE_MS)).toBe(false);
  expect(observed.isExpired(5_000 + LEASE_MS)).toBe(true);
});

test('successive edits of a Lease do not shorten the time of its holder', () => {
  const observed = heldByA();

  observed.see(lease({ holderIdentity: 'x', leaseDurationSeconds: 1 }), 5_000);
  observed.see(lease({ holderIdentity: 'b', leaseDurationSeconds: 1 }), 5_500);

  expect(observed.isOfAnother('b', 5_000 + LEASE_MS - 1)).toBe(true);
});

test('a Lease is free at once if it was released, or never had a holder', () => {
  const observed = heldByA();
  observed.see(released(lease({}), 0), 5_000);
  const empty = new ObservedLease(LEASE_MS);
  empty.see({ ...lease({}), spec: {} }, 1_000);

  expect(observed.isOfAnother('b', 5_000)).toBe(false);
  expect(empty.isOfAnother('b', 1_000)).toBe(false);
});

test('a candidate that has taken over an expired Lease does not wait for the former holder any more', () => {
  const observed = heldByA();
  observed.see(lease({ holderIdentity: 'b' }), 1_000 + LEASE_MS);

  expect(observed.isOfAnother('b', 1_000 + LEASE_MS)).toBe(false);
});

test("when a candidate first sees a Lease without a holder, it waits for the Lease's duration", () => {
  const observed = new ObservedLease(LEASE_MS);
  observed.see(lease({ holderIdentity: '' }), 1_000);

  expect(observed.isOfAnother('b', 1_000 + LEASE_MS - 1)).toBe(true);
  expect(observed.isOfAnother('b', 1_000 + LEASE_MS)).toBe(false);
});
