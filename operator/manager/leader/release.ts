import { type Clock, sleep } from '../../core/clock.ts';
import { isConflict, isNotFound } from '../../model/status.ts';
import type { LeaseCalls } from './lease-calls.ts';
import { holderOf, released, type StoredLease } from './lease-record.ts';

interface Release {
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly identity: string;
  /** Between two attempts. */
  readonly retryPeriodMs: number;
  /** Told of an attempt that failed: why it was not done, if there is no time for another. */
  readonly failed: (error: unknown) => void;
}

/**
 * Gives `lease` up, so that others need not wait: tried until it is done, somebody else's, or gone.
 *
 * @throws `signal.reason` when that comes first.
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
