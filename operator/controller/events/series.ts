import type { Clock } from '../../core/clock.ts';
import type { KubernetesEvent } from '../../model/builtin.ts';
import { rfc3339Micro } from '../../model/condition.ts';

/** Repeats that come no later than this after the last one belong to it; client-go's figure. */
const SERIES_IDLE_MS: number = 6 * 60_000;

/** How often the count of a series that goes on is brought up to date; client-go's figure. */
const SERIES_REFRESH_MS: number = 30 * 60_000;

/** One Event and its repetitions. */
export class EventSeries {
  /** What keeps it apart from others. */
  readonly key: string;
  readonly controller: string;
  /** As it was, or will be, sent first. */
  event: KubernetesEvent;
  readonly #clock: Clock;
  #count = 1;
  #seenAt: number;
  #seenTime: string;
  /** How many of it the API server knows of. */
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

  /** There is something to send now. */
  get isDue(): boolean {
    return this.#isDue && this.#sentCount < this.#count;
  }

  /** When it has to be looked at again, by the monotonic clock. */
  get nextAt(): number {
    const idleAt = this.#seenAt + SERIES_IDLE_MS;
    return this.#hasNews ? Math.min(idleAt, this.#sentAt + SERIES_REFRESH_MS) : idleAt;
  }

  /** What the API server is told of a repetition. */
  get repetitions(): NonNullable<KubernetesEvent['series']> {
    return { count: this.#count, lastObservedTime: this.#seenTime };
  }

  /** It happened again. The first time the API server is told at once, so that it knows of a series. */
  repeat(): void {
    this.#count++;
    this.#seenAt = this.#clock.monotonic();
    this.#seenTime = rfc3339Micro(this.#clock.now());
    if (this.#sentCount <= 1) this.#isDue = true;
  }

  /** Makes what has not been told due when it is time for it, or, at the `end`, now. */
  review(end = false): void {
    const refreshAt = this.#sentAt + SERIES_REFRESH_MS;
    if (end || this.#clock.monotonic() >= refreshAt) this.#isDue = true;
  }

  /** @param count - of the repetitions that were sent; 1 for the Event alone. */
  sent(count: number): void {
    this.#sentCount = count;
    this.#sentAt = this.#clock.monotonic();
    this.#isDue = count === 1;
  }

  /** The API server has it no more: it is sent anew, as `event`, with what has been counted. */
  renew(event: KubernetesEvent): void {
    this.event = this.#count > 1 ? { ...event, series: this.repetitions } : event;
    this.#sentCount = 0;
    this.#isDue = true;
  }

  get #hasNews(): boolean {
    return this.isPosted && this.#sentCount < this.#count;
  }
}
