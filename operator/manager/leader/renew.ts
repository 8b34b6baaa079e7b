import { type Clock, sleep } from '../../core/clock.ts';
import type { Lease } from '../../model/builtin.ts';
import { isNotFound } from '../../model/not-found.ts';
import { isAlreadyExists, isConflict } from '../../model/status.ts';
import type { LeaseCalls } from './lease-calls.ts';
import {
  type Claim,
  holderOf,
  isReleased,
  type LeaseTarget,
  type LostLease,
  labelled,
  type Moment,
  momentOf,
  newLease,
  type ObservedLease,
  type OwnLease,
  preferredHolderOf,
  released,
  renewed,
  type StoredLease,
} from './lease-record.ts';

interface Renewal {
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly target: LeaseTarget;
  readonly claim: () => Claim;
  readonly observed: ObservedLease;
  /** Called when the Lease has to be read again. */
  readonly onSlowPath: () => void;
  /** True if other processes renew the same Lease under the same identity. */
  readonly isShared?: boolean | undefined;
  /** True if this process may take back a Lease that has no holder and was not released. */
  readonly createsEmpty?: boolean | undefined;
  /** Throws when no new Lease may be created, because another process may have created one. */
  readonly assertSafe: () => void;
}

/**
 * The number of attempts for one renewal, because another client may change the Lease between a read and a
 * write.
 */
const ATTEMPTS = 3;

/**
 * Renews `lease` with one PUT. After a conflict the Lease is read again. Its holder may still be this
 * process, because a client has only changed a label, or because the answer to the last PUT was lost. A
 * deleted Lease is created again.
 *
 * Processes that share an identity renew the same Lease, and any of them may write first. If the Lease
 * changed after this renewal read it, the new version was written after that read began. If the holder in the
 * new version is the shared identity, that version counts as a renewal by this process at that moment,
 * because no process with another identity can have read it earlier.
 *
 * @throws the error of a request; the state of the Lease is then unknown.
 */
export async function renew(
  renewal: Renewal,
  lease: StoredLease,
  signal: AbortSignal,
): Promise<OwnLease | LostLease> {
  let known: StoredLease | undefined = lease;
  let readAt: Moment | undefined;
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return checked(await writeRenewal(renewal, known, signal), renewal.claim().identity);
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      failure = error;
    }
    renewal.onSlowPath();
    const [before, beforeAt] = [known, readAt];
    readAt = momentOf(renewal.clock);
    known = await renewal.calls.find(signal);
    if (known !== undefined) renewal.observed.see(known, renewal.clock.monotonic());
    const lost = known && lossOf(known, renewal.claim().identity);
    const isBack = renewal.createsEmpty && known && isLeft(known);
    if (lost !== undefined && !isBack) return lost;
    const isNew = known?.metadata.resourceVersion !== before?.metadata.resourceVersion;
    if (renewal.isShared && beforeAt !== undefined && known !== undefined && isNew) {
      return { lease: known, since: beforeAt };
    }
  }
  throw failure;
}

async function writeRenewal(
  { calls, clock, target, claim, assertSafe }: Renewal,
  lease: StoredLease | undefined,
  signal: AbortSignal,
): Promise<OwnLease> {
  const since = momentOf(clock);
  if (lease === undefined || holderOf(lease) === undefined) assertSafe();
  if (lease !== undefined) {
    return { lease: await calls.update(labelled(renewed(lease, claim()), target), signal), since };
  }
  return { lease: await calls.create(newLease(target, claim()), signal), since };
}

/**
 * True when the Lease has no holder but was not released. Other processes do not take such a Lease until its
 * duration is over.
 */
function isLeft(lease: Lease): boolean {
  const isPreferred = preferredHolderOf(lease) !== undefined;
  return holderOf(lease) === undefined && !isPreferred && !isReleased(lease);
}

function checked(own: OwnLease, identity: string): OwnLease | LostLease {
  return lossOf(own.lease, identity) ?? own;
}

function lossOf(lease: Lease, identity: string): LostLease | undefined {
  const holder = holderOf(lease);
  if (holder !== identity) return { by: holder, how: 'taken' };
  const preferred = preferredHolderOf(lease);
  if (preferred !== undefined && preferred !== identity) return { by: preferred, how: 'preferred' };
  return undefined;
}

interface Release {
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly identity: string;
  /** Milliseconds between two attempts. */
  readonly retryPeriodMs: number;
  /** Called with the error of each failed attempt. */
  readonly failed: (error: unknown) => void;
}

/**
 * Releases `lease`, so that other processes do not have to wait. Retries until the Lease is released, has
 * another holder, or is gone.
 *
 * @throws `signal.reason` when `signal` aborts before that.
 */
export async function release(
  { calls, clock, identity, retryPeriodMs, failed }: Release,
  lease: StoredLease,
  signal: AbortSignal,
): Promise<void> {
  let known: StoredLease | undefined = lease;
  let isOld = false;
  for (;;) {
    try {
      if (isOld) known = await calls.find(signal);
      if (known === undefined || holderOf(known) !== identity) return;
      await calls.update(released(known, clock.now()), signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      failed(error);
      const isFirstRefusal = !isOld && (isConflict(error) || isNotFound(error));
      isOld = true;
      if (!isFirstRefusal) await sleep(clock, retryPeriodMs, signal);
    }
  }
}
