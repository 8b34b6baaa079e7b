import { NEVER_ABORTED } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import type { Lease } from '../../model/builtin.ts';
import { isAlreadyExists, isConflict } from '../../model/status.ts';
import type { LeaseCalls } from './lease-calls.ts';
import {
  type Claim,
  holderOf,
  newLease,
  preferredHolderOf,
  renewed,
  type StoredLease,
  takenOver,
  transitionsOf,
} from './lease-record.ts';
import type { ObservedLease } from './observed-lease.ts';
import { type Moment, momentOf } from './tenure.ts';

interface Contest {
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly target: { readonly namespace: string; readonly name: string };
  readonly claim: () => Claim;
  readonly observed: ObservedLease;
  /** The term before, of the same identity, that was lost. Default: there was none. */
  readonly lostTerm?: LostTerm | undefined;
}

/** A term of leadership that this process has lost, as far as the next one must know it. */
export interface LostTerm {
  /** `leaseTransitions` of its Lease: the next term has another number. */
  readonly transitions: number;
  /** On the monotonic clock. No other process could have led earlier, and nor does this one. */
  readonly expiresAt: number;
}

/** A Lease that is ours, and when the request began that made it so. */
export interface Holding {
  readonly lease: StoredLease;
  readonly since: Moment;
}

/**
 * One attempt to become the holder: undefined when another is, or was faster. Takes what nobody has,
 * what nobody holds, what we hold already (an earlier attempt whose answer was lost), and what was not
 * changed for as long as its holder asked for. A Lease that names another as its preferred holder is
 * left to that one. After a lost term nothing is written before the Lease of that term has expired.
 *
 * `signal` ends it before it writes. A write goes on: one that is cut off may have been carried out,
 * and then nobody would know whose the Lease is until it expires.
 *
 * @throws what a request fails with.
 */
export async function contend(contest: Contest, signal: AbortSignal): Promise<Holding | undefined> {
  const { calls, clock, target, claim, observed, lostTerm } = contest;
  const found = await calls.find(signal);
  if (found !== undefined) observed.see(found, clock.monotonic());
  if (found !== undefined && !isOpenTo(claim().identity, found, contest)) return undefined;
  if (lostTerm !== undefined && clock.monotonic() < lostTerm.expiresAt) return undefined;
  const since = momentOf(clock);
  try {
    const lease =
      found === undefined
        ? await calls.create(newLease(target, claim()), NEVER_ABORTED)
        : await calls.update(inOurHands(found, claim(), lostTerm), NEVER_ABORTED);
    observed.see(lease, clock.monotonic());
    return holderOf(lease) === claim().identity ? { lease, since } : undefined;
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error)) return undefined;
    throw error;
  }
}

function isOpenTo(identity: string, lease: Lease, { observed, clock }: Contest): boolean {
  const preferred = preferredHolderOf(lease);
  if (preferred !== undefined && preferred !== identity) return false;
  const holder = holderOf(lease);
  return holder === undefined || holder === identity || observed.isExpired(clock.monotonic());
}

/** A record of the lost term names this process, too, and is taken over as that of another process is. */
function inOurHands(lease: StoredLease, claim: Claim, lostTerm: LostTerm | undefined): StoredLease {
  const isOurs =
    holderOf(lease) === claim.identity && transitionsOf(lease) !== lostTerm?.transitions;
  return isOurs ? renewed(lease, claim) : takenOver(lease, claim);
}
