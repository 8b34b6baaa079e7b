import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Claim, released, renewed } from '../../../operator/manager/leader/lease-record.ts';
import {
  type IgnoredLease,
  Members,
  memberLease,
} from '../../../operator/manager/sharding/members.ts';
import type { Lease } from '../../../operator/model/builtin.ts';

const SET = { set: 'greeter', generation: 'shards/16/uid' };
const LEASE_MS = 15_000;

/** A Lease as the API server has it. */
type Stored = Parameters<typeof renewed>[0];

const claimOf = (identity: string, nowMs = 0): Claim => ({
  identity,
  leaseDurationMs: LEASE_MS,
  nowMs,
});

function leaseOf(identity: string, in_: { set: string; generation: string } = SET): Stored {
  const lease = memberLease({ namespace: 'n', name: `lease-${identity}` }, claimOf(identity), in_);
  return {
    ...lease,
    metadata: { ...lease.metadata, uid: `uid-${identity}`, resourceVersion: '1' },
  };
}

function changed(lease: Stored, version: number): Stored {
  const { metadata } = lease;
  return {
    ...renewed(lease, claimOf(lease.spec?.holderIdentity ?? '', version)),
    metadata: { ...metadata, resourceVersion: `${version}` },
  };
}

const membersOf = (generation = SET.generation): Members =>
  new Members({ set: SET.set, generation, leaseDurationMs: LEASE_MS });

const reasons = (ignored: readonly IgnoredLease[]): string[] => ignored.map(({ reason }) => reason);

test('[SH-2] a member is fresh for the duration of its Lease after the last observed change', () => {
  const members = membersOf();
  const lease = leaseOf('a');
  members.see([lease], 1_000);
  members.see([lease], 9_000);

  expect(members.fresh(15_999)).toEqual(['a']);
  expect(members.fresh(16_000)).toEqual([]);

  members.see([changed(lease, 2)], 20_000);

  expect(members.fresh(34_999)).toEqual(['a']);
});

test('[SH-2] the times that a member writes do not affect its freshness', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e12, max: 1e12 }),
      fc.integer({ min: 0, max: 1e12 }),
      (wallMs, atMs) => {
        const members = membersOf();
        members.see([{ ...leaseOf('a'), ...renewed(leaseOf('a'), claimOf('a', wallMs)) }], atMs);

        expect(members.fresh(atMs + LEASE_MS - 1)).toEqual(['a']);
        expect(members.fresh(atMs + LEASE_MS)).toEqual([]);
      },
    ),
  );
});

test('members of a different generation are listed separately', () => {
  const members = membersOf();
  members.see([leaseOf('a'), leaseOf('b', { ...SET, generation: 'shards/32/uid' })], 0);

  expect(members.fresh(1)).toEqual(['a']);
  expect(members.seen(LEASE_MS)).toEqual([
    { identity: 'a', generation: 'shards/16/uid', isFresh: false, unchangedMs: LEASE_MS },
    { identity: 'b', generation: 'shards/32/uid', isFresh: false, unchangedMs: LEASE_MS },
  ]);
});

test('a member with a released or deleted Lease is not fresh', () => {
  const members = membersOf();
  const [a, b] = [leaseOf('a'), leaseOf('b')];
  members.see([a, b], 0);

  members.see([released(a, 0)], 1);

  expect(members.fresh(2)).toEqual([]);
});

test.each<[reason: RegExp, lease: Lease]>([
  [/no name/, { ...leaseOf('x'), metadata: { ...leaseOf('x').metadata, name: '' } }],
  [/another set/, leaseOf('x', { ...SET, set: 'other' })],
  [/no annotation/, leaseOf('x', { ...SET, generation: '' })],
  [/over 512 characters/, leaseOf('x', { ...SET, generation: 'g'.repeat(513) })],
  [/over 512 characters/, leaseOf('x'.repeat(513))],
  [/over an hour/, { ...leaseOf('x'), spec: { holderIdentity: 'x', leaseDurationSeconds: 3_601 } }],
])('a Lease that cannot belong to a member is ignored, and the reason %s is reported', (reason, lease) => {
  const members = membersOf();

  const ignored = members.see([lease, leaseOf('a')], 0);

  expect(reasons(ignored)).toEqual([expect.stringMatching(reason)]);
  expect(members.fresh(1)).toEqual(['a']);
});

test('at most 256 members are counted, and members that are already known are counted first', () => {
  const members = membersOf();
  members.see([leaseOf('z')], 0);
  const crowd = Array.from({ length: 300 }, (_, index) => leaseOf(`crowd-${index}`));

  const ignored = members.see([...crowd, leaseOf('z')], 1);

  expect(new Set(reasons(ignored))).toEqual(new Set(['there are more than 256 members']));
  expect(ignored).toHaveLength(45);
  expect(members.fresh(2)).toHaveLength(256);
  expect(members.fresh(2)).toContain('z');
});

test('[SH-2] the Leases of hundreds of former replicas do not hide a new member', () => {
  const members = membersOf();
  const former = Array.from({ length: 300 }, (_, index) =>
    changed(leaseOf(`a-${index}`), 1_000 + index),
  );
  members.see(former, 0);

  members.see([...former, changed(leaseOf('b'), 5_000)], LEASE_MS);

  expect(members.fresh(LEASE_MS + 1)).toContain('b');
});
