import type { Clock } from 'chancery';
import type { Meter } from 'chancery/internal';
import { HOOK_METRICS } from '../engine/metric-names.ts';

/**
 * Limits the number of hooks that run concurrently, over all queues. Slots are granted in the order
 * of the requests. A queue requests one slot at a time, so queues take turns.
 */
export class ProcessSlots {
  readonly #clock: Clock;
  readonly #meter: Meter;
  readonly #waiting = new Set<() => void>();
  #free: number;
  #longestWaitMs = 0;

  constructor(count: number, clock: Clock, meter: Meter) {
    this.#free = count;
    this.#clock = clock;
    this.#meter = meter;
    meter.gauge(HOOK_METRICS.longestProcessWait, {}, 0);
  }

  /**
   * Waits for a slot and holds it until the result is disposed.
   *
   * @throws `signal.reason` when aborted before a slot is free.
   */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const askedAt = this.#clock.monotonic();
    if (this.#free > 0) this.#free -= 1;
    else await this.#granted(signal);
    this.#waited(this.#clock.monotonic() - askedAt);
    return { [Symbol.dispose]: () => this.#release() };
  }

  #granted(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const grant = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(grant);
        reject(signal.reason);
      };
      this.#waiting.add(grant);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  #waited(ms: number): void {
    if (ms <= this.#longestWaitMs) return;
    this.#longestWaitMs = ms;
    this.#meter.gauge(HOOK_METRICS.longestProcessWait, {}, ms / 1_000);
  }
}
