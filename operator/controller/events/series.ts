import type { Clock } from '../../core/clock.ts';
import type { KubernetesEvent } from '../../model/builtin.ts';
import { rfc3339Micro } from '../../model/condition.ts';

/** A series ends when no repetition comes for this many milliseconds, the same as in client-go. */
const SERIES_IDLE_MS: number = 6 * 60_000;

/** Milliseconds between two updates of a running series on the API server, the same as in client-go. */
const SERIES_REFRESH_MS: number = 30 * 60_000;

/** One Event and its repetitions. */
export class EventSeries {
  /** Identifies the series. */
  readonly key: string;
  readonly controller: string;
  /** The Event of the first occurrence, as it was or will be created. */
  event: KubernetesEvent;
  readonly #clock: Clock;
  #count = 1;
  #seenAt: number;
  #seenTime: string;
  /** The last count that was sent to the API server. */
  #sentCount = 0;
  #sentAt = 0;
  #isDue = true;

  constructor(key: string, controller: string, event: KubernetesEvent, clock: Clock) {
    this.key = key;
    this.controller = controller;
    this.event = event;
    this.#clock = clock;
    this.#seenAt = clock.monotonic();
    this.#seenTime = event.eventTime;
  }

  get isPosted(): boolean {
    return this.#sentCount > 0;
  }

  get isIdle(): boolean {
    return this.#clock.monotonic() - this.#seenAt >= SERIES_IDLE_MS;
  }

  /** True when there is something to send now. */
  get isDue(): boolean {
    return this.#isDue && this.#sentCount < this.#count;
  }

  /** When to call `review` next, on the monotonic clock. */
  get nextAt(): number {
    const idleAt = this.#seenAt + SERIES_IDLE_MS;
    return this.#hasNews ? Math.min(idleAt, this.#sentAt + SERIES_REFRESH_MS) : idleAt;
  }

  /** The `series` field of the Event, with the repetitions so far. */
  get repetitions(): NonNullable<KubernetesEvent['series']> {
    return { count: this.#count, lastObservedTime: this.#seenTime };
  }

  /**
   * Counts a repetition. The first repetition is due at once, so that the Event on the API server has a
   * series.
   */
  repeat(): void {
    this.#count++;
    this.#seenAt = this.#clock.monotonic();
    this.#seenTime = rfc3339Micro(this.#clock.now());
    if (this.#sentCount <= 1) this.#isDue = true;
  }

  /**
   * Marks the unsent repetitions as due when the next refresh is due. If `end` is true, marks them at once.
   */
  review(end = false): void {
    const refreshAt = this.#sentAt + SERIES_REFRESH_MS;
    if (end || this.#clock.monotonic() >= refreshAt) this.#isDue = true;
  }

  /** @param count - the count that was sent; 1 for the Event without a series. */
  sent(count: number): void {
    this.#sentCount = count;
    this.#sentAt = this.#clock.monotonic();
    this.#isDue = count === 1;
  }

  /**
   * Call this when the API server no longer has the Event. It is created again as `event`, with the count.
   */
  renew(event: KubernetesEvent): void {
    this.event = this.#count > 1 ? { ...event, series: this.repetitions } : event;
    this.#sentCount = 0;
    this.#isDue = true;
  }

  get #hasNews(): boolean {
    return this.isPosted && this.#sentCount < this.#count;
  }
}
