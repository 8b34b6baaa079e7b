import type { Clock } from './clock.ts';
import { OperatorError } from './errors.ts';

/** For calls that nobody means to cut short; they end by their own time limits. */
export const NEVER_ABORTED: AbortSignal = new AbortController().signal;

/** An abort controller that also follows a parent, until it is disposed of. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/**
 * A signal that aborts with its parent or on its own.
 *
 * Disposing removes the listener from the parent. `AbortSignal.any` never does, so that one
 * long-lived signal would collect a listener for every request of the process.
 */
export function linkedAbort(parent: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => parent.removeEventListener('abort', follow),
  };
}

/** Resolves when `signal` aborts; never rejects. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * `promise`, unless `signal` aborts first; what the promise comes to is then nobody's business.
 *
 * @throws `signal.reason` when aborted first. No listener is left behind.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

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
