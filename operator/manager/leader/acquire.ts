import { NEVER_ABORTED } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { isAlreadyExists, isConflict } from '../../model/status.ts';
import type { LeaseCalls } from './lease-calls.ts';
import type { ObservedLease } from './lease-record.ts';
import {
  type Claim,
  emptyLease,
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
  /** See `LeaderElectorOptions`. */
  readonly createsEmpty?: boolean | undefined;
  /** The term that this process held before and lost. Default: none. */
  readonly lostTerm?: LostTerm | undefined;
}

/**
 * Makes one attempt to become the holder. Returns undefined when another process holds the Lease, or has just
 * taken it. The attempt takes a Lease that was released, or whose holder is already this process because the
 * answer to an earlier attempt was lost. It takes any other Lease only after the duration of every holder
 * that it has observed is over. This also applies if a client has deleted the Lease or edited its holder. It
 * never takes a Lease for which another process is the preferred holder. After a lost term nothing is written
 * before the Lease of that term has expired. `signal` ends the attempt only before it writes. A write is
 * never aborted: the server may have stored it, and then no process would act as the holder until the Lease
 * expires.
 *
 * @throws the error of a request.
 */
export async function acquire(
  acquisition: Acquisition,
  signal: AbortSignal,
): Promise<OwnLease | undefined> {
  const { calls, clock, target, claim, createsEmpty, observed, lostTerm } = acquisition;
  const found = await calls.find(signal);
  if (found !== undefined) observed.see(found, clock.monotonic());
  const { identity } = claim();
  const preferred = found && preferredHolderOf(found);
  if (preferred !== undefined && preferred !== identity) return undefined;
  // This also applies to a deleted Lease: its last observed holder may still act.
  const now = clock.monotonic();
  const isAnothers = observed.isOfAnother(identity, now) || now < (lostTerm?.expiresAt ?? 0);
  const isMade = found === undefined && createsEmpty === true;
  if (isAnothers && !isMade) return undefined;
  const since = momentOf(clock);
  try {
    if (isMade) {
      observed.see(
        await calls.create(emptyLease(target, claim()), NEVER_ABORTED),
        clock.monotonic(),
      );
      return undefined;
    }
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

/**
 * After this process has lost a term, the Lease may still contain its name. Such a Lease is taken over as if
 * another process had held it.
 */
function inOurHands(lease: StoredLease, claim: Claim, lostTerm: LostTerm | undefined): StoredLease {
  const isOurs =
    holderOf(lease) === claim.identity && transitionsOf(lease) !== lostTerm?.transitions;
  return isOurs ? renewed(lease, claim) : takenOver(lease, claim);
}
