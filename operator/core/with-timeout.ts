import { abortable, linkedAbort } from './abort.ts';
import type { Clock } from './clock.ts';
import { OperatorError } from './errors.ts';

/** A reconciler's context has `clock` and `signal`. */
interface TimeoutOptions {
  /** The process's time: `context.clock` in a reconciler. */
  readonly clock: Clock;
  /** Ends it sooner. */
  readonly signal: AbortSignal;
  /** Milliseconds, of the clock. */
  readonly timeoutMs: number;
  /** What is thrown when the time is over. Default: an OperatorError `USER_CODE`. */
  readonly tooLate?: () => Error;
}

/**
 * What `work` resolves to, unless the time is over first. For whatever is not asked of the API server,
 * whose calls have limits of their own: a program, a URL.
 *
 * `work` is given a signal that aborts when the time is over, and with the caller's. Work that does not
 * heed it goes on, and what it comes to is nobody's business any more.
 *
 * @throws what `tooLate` makes when the time is over; `signal.reason` when that has aborted, before the
 *   work begins, too.
 */
export async function withTimeout<T>(
  { clock, signal, timeoutMs, tooLate = () => notWithin(timeoutMs) }: TimeoutOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  using limited = linkedAbort(signal);
  const cancel = clock.schedule(timeoutMs, () => limited.abort(tooLate()));
  try {
    return await abortable(work(limited.signal), limited.signal);
  } finally {
    cancel();
  }
}

function notWithin(timeoutMs: number): OperatorError {
  return new OperatorError(`not done within ${timeoutMs} ms`, {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { timeoutMs },
  });
}
