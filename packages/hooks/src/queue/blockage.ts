import type { Clock } from 'chancery';
import type { Cancel, Meter } from 'chancery/internal';
import { HOOK_METRICS } from '../engine/metric-names.ts';
import type { Hook } from '../hook.ts';

/** Interval at which the gauge of a blocked queue is updated. */
const REFRESH_MS = 1_000;

/** The failures of the task at the head of a queue, and the time of the first one. */
export class Blockage {
  readonly #queue: string;
  readonly #clock: Clock;
  readonly #meter: Meter;
  #failures = 0;
  #firstFailedAt = 0;
  #cancelRefresh: Cancel = () => {};

  constructor(queue: string, clock: Clock, meter: Meter) {
    this.#queue = queue;
    this.#clock = clock;
    this.#meter = meter;
  }

  /** Failed attempts of the task at the head. */
  get failures(): number {
    return this.#failures;
  }

  /** Seconds since the first failure of the task at the head; 0 without a failure. */
  get seconds(): number {
    return this.#failures === 0 ? 0 : (this.#clock.monotonic() - this.#firstFailedAt) / 1_000;
  }

  /** Records that the task at the head has failed and will be retried. */
  failed(hook: Hook): void {
    if (this.#failures === 0) {
      this.#firstFailedAt = this.#clock.monotonic();
      this.#refresh(hook);
    }
    this.#failures += 1;
  }

  /** Records that the task at the head is done, or that the queue has stopped. */
  end(hook: Hook): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#cancelRefresh();
    this.#set(hook);
  }

  #refresh(hook: Hook): void {
    this.#set(hook);
    this.#cancelRefresh = this.#clock.schedule(REFRESH_MS, () => this.#refresh(hook));
  }

  #set(hook: Hook): void {
    const labels = { hook: hook.name, queue: this.#queue };
    this.#meter.gauge(HOOK_METRICS.blockedSeconds, labels, this.seconds);
  }
}
