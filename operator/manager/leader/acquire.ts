import { NEVER_ABORTED } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { isAlreadyExists, isConflict } from '../../model/status.ts';
import type { LeaseCalls } from './lease-calls.ts';
import type { ObservedLease } from './lease-record.ts';
import {
  type Claim,
  holderOf,
  type LeaseTarget,
  type LostTerm,
  labelled,
  momentOf,
  newLease,
  type OwnLease,
  preferredHolderOf,
  renewed,
  type StoredLease,
  takenOver,
  transitionsOf,
} from './lease-record.ts';

interface Acquisition {
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly target: LeaseTarget;
  readonly claim: () => Claim;
  readonly observed: ObservedLease;
  /** The lost term of this process before this one. Default: there was none. */
  readonly lostTerm?: LostTerm | undefined;
}

/**
 * Makes one attempt to become the holder; undefined when another process is, or was faster. It takes a Lease that was
 * released, that names this process already (the answer to an earlier attempt was lost), or of which every holder that
 * was seen has had its time, also if somebody has deleted the Lease or edited its holder. A Lease with
 * another preferred holder is left alone. After a lost term nothing is written before the Lease of that
 * term has expired.
 *
 * `signal` ends the attempt before it writes. A write is not cut off: the server may have stored it, and
 * nobody would know the holder until the Lease expires.
 *
 * @throws the error of a request.
 */
export async function acquire(
  acquisition: Acquisition,
  signal: AbortSignal,
): Promise<OwnLease | undefined> {
  const { calls, clock, target, claim, observed, lostTerm } = acquisition;
  const found = await calls.find(signal);
  if (found !== undefined) observed.see(found, clock.monotonic());
  const { identity } = claim();
  const preferred = found && preferredHolderOf(found);
  if (preferred !== undefined && preferred !== identity) return undefined;
  // Also of a Lease that somebody has deleted: the holder that was seen last may still act by it.
  if (observed.isOfAnother(identity, clock.monotonic())) return undefined;
  if (lostTerm !== undefined && clock.monotonic() < lostTerm.expiresAt) return undefined;
  const since = momentOf(clock);
  try {
    const lease =
      found === undefined
        ? await calls.create(newLease(target, claim()), NEVER_ABORTED)
        : await calls.update(labelled(inOurHands(found, claim(), lostTerm), target), NEVER_ABORTED);
    observed.see(lease, clock.monotonic());
    return holderOf(lease) === claim().identity ? { lease, since } : undefined;
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error)) return undefined;
    throw error;
  }
}

/** The record of a lost term names this process, too. It is taken over like that of another process. */
function inOurHands(lease: StoredLease, claim: Claim, lostTerm: LostTerm | undefined): StoredLease {
  const isOurs =
    holderOf(lease) === claim.identity && transitionsOf(lease) !== lostTerm?.transitions;
  return isOurs ? renewed(lease, claim) : takenOver(lease, claim);
}
