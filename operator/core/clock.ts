/** Cancels what it stands for. Calling it twice, or too late, does nothing. */
export type Cancel = () => void;

/** The only source of time in the toolkit, so that tests can own it. */
export interface Clock {
  /** Wall time in milliseconds since 1970. Only for values that are sent or shown. */
  now(): number;
  /** Milliseconds that never go backwards. For every duration and deadline. */
  monotonic(): number;
  /** Calls `wake` once, after at least `delayMs`; any finite delay is honoured. */
  schedule(delayMs: number, wake: () => void): Cancel;
}

/** Node fires a longer `setTimeout` at once: its delay is a signed 32-bit integer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, wake) {
    const wakeAt = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    // Node drops the fraction of a delay and counts from the start of its loop's turn: a timer may
    // fire a millisecond early, and is then armed again for the rest.
    const arm = (leftMs: number): void => {
      timer = setTimeout(check, Math.min(Math.max(leftMs, 0), MAX_TIMEOUT_MS));
    };
    const check = (): void => {
      const leftMs = wakeAt - performance.now();
      if (leftMs > 0) arm(leftMs);
      else wake();
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Resolves after at least `ms`.
 *
 * @throws `signal.reason` when aborted first; no timer and no listener is left behind.
 */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.schedule(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
