/** What the code of the election and of the membership says at each age, asked once: the model's clock is small. */

import { FakeClock } from '@chancery/testing';
import {
  type Claim,
  newLease,
  ObservedLease,
} from '../../../operator/manager/leader/lease-record.ts';
import { LeaseTerm } from '../../../operator/manager/leader/lease-term.ts';
import { Members, memberLease } from '../../../operator/manager/sharding/members.ts';
import { preferredMembers } from '../../../operator/manager/sharding/preference.ts';

/** In these times a term is 2 ticks, its cut-off 3 and its Lease 4. */
const TICK_MS = 1_000;
const TIMING = { leaseDurationMs: 4_000, renewDeadlineMs: 2_000, retryPeriodMs: 1_000 };
/** Ages are counted up to the duration of a Lease: what is older is the same. */
export const MAX_AGE = 4;

/** The clocks of members differ by hours. */
const OFFSETS_MS = [0, 3_600_000, 7_200_000_000, 5, 999, 1_000_000, 2, 77_777];

const AGES = Array.from({ length: MAX_AGE + 1 }, (_, age) => age);

interface FenceAtAge {
  /** A write may begin. */
  readonly mayBegin: boolean;
  /** A write that began in time may still be under way. */
  readonly mayBeUnderWay: boolean;
}

/** Of a term whose last renewal began so many ticks ago, by the clock of a member. */
const FENCES: readonly (readonly FenceAtAge[])[] = OFFSETS_MS.map((offsetMs) =>
  AGES.map((age) => {
    const clock = new FakeClock(offsetMs);
    const term = new LeaseTerm({
      clock,
      timing: TIMING,
      lastFailure: () => undefined,
      onLoss: () => {},
    });
    const since = { monotonicMs: clock.monotonic(), wallMs: clock.now() };
    const metadata = { name: 'group', uid: 'u', resourceVersion: '1' };
    term.begin({ lease: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata }, since });
    const cutOffAt = term.writeDeadlineAt();
    clock.advance(age * TICK_MS);
    return { mayBegin: term.isValid, mayBeUnderWay: clock.monotonic() < cutOffAt };
  }),
);

export function fenceAt(member: number, age: number): FenceAtAge {
  const fence = FENCES[member]?.[age];
  if (fence === undefined) throw new Error(`no member ${member} or age ${age}`);
  return fence;
}

const claimOf = (identity: string, nowMs: number): Claim => ({
  identity,
  leaseDurationMs: TIMING.leaseDurationMs,
  nowMs,
});

/** Whether a record that changed so many ticks ago is stale, by the clock of a member. */
const STALE: readonly (readonly boolean[])[] = OFFSETS_MS.map((offsetMs) =>
  AGES.map((age) => {
    const record = new ObservedLease(TIMING.leaseDurationMs);
    record.see(newLease({ namespace: 'n', name: 'group' }, claimOf('another', 42)), offsetMs);
    return record.isExpired(offsetMs + age * TICK_MS);
  }),
);

export function isStaleAt(member: number, age: number): boolean {
  return STALE[member]?.[age] === true;
}

/** What one member has seen of the Lease of each member: ticks since the last change; undefined for none. */
export type SeenMembers = readonly (number | undefined)[];

const freshKnown = new Map<string, readonly number[]>();

/** The members that are fresh for `self`, who are of the same generation. */
export function freshMembers(
  self: number,
  generations: readonly number[],
  seen: SeenMembers,
): readonly number[] {
  const key = `${self} ${generations.join('')} ${seen.map((age) => age ?? '-').join('')}`;
  const known = freshKnown.get(key);
  if (known !== undefined) return known;
  const offsetMs = OFFSETS_MS[self] ?? 0;
  const nowMs = offsetMs + MAX_AGE * TICK_MS;
  const members = new Members({
    set: 'model',
    generation: `${generations[self]}`,
    leaseDurationMs: TIMING.leaseDurationMs,
  });
  // As it happened: whoever changed longest ago was seen first, and again with each later one.
  for (const age of AGES.toReversed()) {
    const leases = seen.flatMap((changed, member) => {
      if (changed === undefined || changed < age) return [];
      const claim = claimOf(`${member}`, OFFSETS_MS[member] ?? 0);
      const target = { namespace: 'n', name: `member-${member}` };
      return [memberLease(target, claim, { set: 'model', generation: `${generations[member]}` })];
    });
    members.see(leases, nowMs - age * TICK_MS);
  }
  const fresh = members.fresh(nowMs).map(Number);
  freshKnown.set(key, fresh);
  return fresh;
}

const preferredKnown = new Map<string, readonly (number | undefined)[]>();

/** The member that should hold each group. */
export function preferredOf(
  holders: readonly (number | undefined)[],
  members: readonly number[],
): readonly (number | undefined)[] {
  const key = `${holders.map((holder) => holder ?? '-').join('')} ${members.join('')}`;
  const known = preferredKnown.get(key);
  if (known !== undefined) return known;
  const preferred = preferredMembers(
    holders.map((holder) => (holder === undefined ? undefined : `${holder}`)),
    members.map(String),
  ).map((member) => (member === undefined ? undefined : Number(member)));
  preferredKnown.set(key, preferred);
  return preferred;
}
