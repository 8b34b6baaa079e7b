import type { Clock } from './clock.ts';
import { OperatorError } from './errors.ts';

/**
 * A signal that never aborts, for calls whose caller passes no signal. Such calls end at their time limits.
 */
export const NEVER_ABORTED: AbortSignal = new AbortController().signal;

/** An abort controller that also follows other signals, until it is disposed of. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** For each signal of `linkedAbort`, the signals that it follows. */
const PARENTS = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * The first result of `find` for `signal`, or for one of the signals that it follows directly or indirectly.
 * This tells to which caller a signal belongs.
 */
export function originOf<T>(
  signal: AbortSignal,
  find: (signal: AbortSignal) => T | undefined,
): T | undefined {
  const found = find(signal);
  if (found !== undefined) return found;
  for (const parent of PARENTS.get(signal) ?? []) {
    const origin = originOf(parent, find);
    if (origin !== undefined) return origin;
  }
  return undefined;
}

/**
 * A signal that aborts when the first of its parents aborts, or when its method `abort` is called.
 *
 * Disposing removes the listeners from the parents. `AbortSignal.any` never removes them: a long-lived signal
 * would collect a listener for every request of the process.
 */
export function linkedAbort(...parents: readonly AbortSignal[]): LinkedAbort {
  const controller = new AbortController();
  const ends = parents.map((parent) => {
    const follow = (): void => controller.abort(parent.reason);
    if (parent.aborted) follow();
    else parent.addEventListener('abort', follow, { once: true });
    return () => parent.removeEventListener('abort', follow);
  });
  PARENTS.set(controller.signal, parents);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => {
      for (const end of ends) end();
    },
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
 * Settles like `promise`, unless `signal` aborts first. In that case the result of `promise` is ignored.
 *
 * @throws `signal.reason` if `signal` aborts first. In all cases, the listener is removed from the signal.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Options of `withTimeout`. The context of a reconciler contains `clock` and `signal`. */
interface TimeoutOptions {
  /** Measures the time. In a reconciler: `context.clock`. */
  readonly clock: Clock;
  /** Ends the wait early. */
  readonly signal: AbortSignal;
  /** Time limit in milliseconds. */
  readonly timeoutMs: number;
  /** Creates the error for a timeout. Default: an OperatorError `USER_CODE`. */
  readonly tooLate?: () => Error;
}

/**
 * Settles like the promise of `work`, unless the time limit passes first. Use it for work that does not use
 * the API server, such as a program or a request to a URL. Calls to the API server have their own time
 * limits.
 *
 * `work` receives a signal that aborts at the time limit, or when the caller's signal aborts. Work that
 * ignores it continues, but its result is ignored.
 *
 * @throws the error of `tooLate` at the time limit; `signal.reason` when `signal` aborts, even before
 *   `work` begins.
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
