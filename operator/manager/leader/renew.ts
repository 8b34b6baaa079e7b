import type { Clock } from '../../core/clock.ts';
import type { Lease } from '../../model/builtin.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../model/status.ts';
import type { Holding } from './contend.ts';
import type { LeaseCalls } from './lease-calls.ts';
import {
  type Claim,
  holderOf,
  newLease,
  preferredHolderOf,
  renewed,
  type StoredLease,
} from './lease-record.ts';
import type { ObservedLease } from './observed-lease.ts';
import { momentOf } from './tenure.ts';

interface Renewal {
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly target: { readonly namespace: string; readonly name: string };
  readonly claim: () => Claim;
  readonly observed: ObservedLease;
  /** Called where the Lease has to be read again. */
  readonly onSlowPath: () => void;
  /** Throws when no new Lease may be made any more: then another may hold what is not there. */
  readonly assertSafe: () => void;
}

/** The Lease is not ours any more, or should be another's soon. */
export interface Deprived {
  readonly by: string | undefined;
  readonly how: 'taken' | 'preferred';
}

/** Somebody may change the Lease as often as we read it. */
const ATTEMPTS = 3;

/**
 * `lease` held on to, by one PUT of what we know. Where that is not the newest, the Lease is read: it
 * is still ours (somebody has labelled it, or the answer to our last PUT was lost), or it is not.
 * One that was deleted is made anew.
 *
 * @throws what a request fails with; nothing is known then.
 */
export async function renew(
  renewal: Renewal,
  lease: StoredLease,
  signal: AbortSignal,
): Promise<Holding | Deprived> {
  let known: StoredLease | undefined = lease;
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return judged(await holdOn(renewal, known, signal), renewal.claim().identity);
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      failure = error;
    }
    renewal.onSlowPath();
    known = await renewal.calls.find(signal);
    if (known !== undefined) renewal.observed.see(known, renewal.clock.monotonic());
    const deprived = known && deprivation(known, renewal.claim().identity);
    if (deprived !== undefined) return deprived;
  }
  throw failure;
}

async function holdOn(
  { calls, clock, target, claim, assertSafe }: Renewal,
  lease: StoredLease | undefined,
  signal: AbortSignal,
): Promise<Holding> {
  const since = momentOf(clock);
  if (lease !== undefined) {
    return { lease: await calls.update(renewed(lease, claim()), signal), since };
  }
  assertSafe();
  return { lease: await calls.create(newLease(target, claim()), signal), since };
}

function judged(holding: Holding, identity: string): Holding | Deprived {
  return deprivation(holding.lease, identity) ?? holding;
}

function deprivation(lease: Lease, identity: string): Deprived | undefined {
  const holder = holderOf(lease);
  if (holder !== identity) return { by: holder, how: 'taken' };
  const preferred = preferredHolderOf(lease);
  if (preferred !== undefined && preferred !== identity) return { by: preferred, how: 'preferred' };
  return undefined;
}
