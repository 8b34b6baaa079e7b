/** Cancels a scheduled action. A call after the action, or a second call, does nothing. */
export type Cancel = () => void;

/** The only source of time in the toolkit, so that tests can control time. */
export interface Clock {
  /** Wall time in milliseconds since 1970. Use it only for values that are sent or displayed. */
  now(): number;
  /** Milliseconds that never go backwards. Use them for every duration and deadline. */
  monotonic(): number;
  /** Calls `wake` once, after at least `delayMs`. Any finite delay works. */
  schedule(delayMs: number, wake: () => void): Cancel;
}

/**
 * Longest delay of a Node timer. A longer `setTimeout` fires at once, because delays are signed 32-bit
 * integers.
 */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, wake) {
    const wakeAt = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    // Node ignores the fraction of a delay, and measures the delay from the start of the event loop's turn.
    // So a timer may fire a millisecond too early. It is then set again for the remaining time.
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
 * @throws `signal.reason` if `signal` aborts before the time is up. The timer and the listener are then
 *   removed.
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
