import { type Call, ProvisionerError } from './provisioner.ts';

/** What making a machine may take to be accepted; that it boots is asked for later. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * What `work` resolves to, with a signal that aborts with the caller's and after `timeoutMs` of the
 * caller's clock.
 *
 * @throws ProvisionerError when the time is over; `call.signal.reason` when that has aborted.
 */
export async function withinTime<T>(
  { clock, signal }: Call,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const tooLate = new ProvisionerError(`the provisioner did not answer within ${timeoutMs} ms`);
  const limit = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => limit.abort(tooLate));
  const either = AbortSignal.any([signal, limit.signal]);
  try {
    return await work(either);
  } catch (error) {
    if (either.aborted) throw either.reason;
    throw error;
  } finally {
    cancel();
  }
}
