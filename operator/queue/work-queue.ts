import type { Cancel, Clock } from '../core/clock.ts';
import { DelayHeap } from './delay-heap.ts';
import { KeyBackoff, type KeyBackoffOptions } from './key-backoff.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly backoff?: KeyBackoffOptions;
}

/**
 * Keys waiting to be worked on: fair, deduplicating, one worker per key.
 *
 * - Adding a waiting key again changes nothing.
 * - Adding a key that a worker holds makes it ready again after `done`, once.
 * - A delayed key that is added becomes ready now, and its delayed entry is dropped.
 * - After `close` no key is handed out any more, delayed ones included; who holds one finishes it.
 */
export class WorkQueue<K> {
  readonly #clock: Clock;
  readonly #backoff: KeyBackoff<K>;
  /** In order of arrival. Every entry is in `#dirty` and not in `#processing`. */
  #ready: K[] = [];
  /** Where the next key is in `#ready`: shifting an array of 100,000 keys would be quadratic. */
  #head = 0;
  readonly #dirty = new Set<K>();
  readonly #processing = new Set<K>();
  readonly #delayed = new DelayHeap<K>();
  readonly #takers: ((key: K | undefined) => void)[] = [];
  #cancelTimer: Cancel | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor({ clock, backoff }: WorkQueueOptions) {
    this.#clock = clock;
    this.#backoff = new KeyBackoff(backoff);
  }

  /** Keys that are ready and not taken. */
  get depth(): number {
    return this.#ready.length - this.#head;
  }

  add(key: K): void {
    if (this.#closed) return;
    this.#delayed.delete(key);
    if (this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#push(key);
  }

  /** Makes `key` ready after `delayMs`, or earlier if something else does. */
  addAfter(key: K, delayMs: number): void {
    if (this.#closed || this.#dirty.has(key)) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    this.#delayed.add(key, this.#clock.monotonic() + delayMs);
    this.#arm();
  }

  /**
   * Counts a failure of `key` and makes it ready after its own back-off.
   *
   * @param atLeastMs - a longer wait that somebody asked for.
   * @returns the delay in milliseconds.
   */
  retry(key: K, atLeastMs = 0): number {
    const delayMs = Math.max(this.#backoff.nextMs(key), atLeastMs);
    this.addAfter(key, delayMs);
    return delayMs;
  }

  /** `key` succeeded: its next failure is its first. */
  forget(key: K): void {
    this.#backoff.forget(key);
  }

  /** Failures of `key` in a row. */
  failures(key: K): number {
    return this.#backoff.failures(key);
  }

  /** Resolves to the next key, or to undefined once the queue is closed. */
  take(): Promise<K | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const key = this.#shift();
    if (key !== undefined) return Promise.resolve(this.#start(key));
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Must be called exactly once for every key returned by `take`, success or not. */
  done(key: K): void {
    this.#processing.delete(key);
    if (this.#dirty.has(key) && !this.#closed) this.#push(key);
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#delayed.clear();
    for (const resolve of this.#takers.splice(0)) resolve(undefined);
  }

  #push(key: K): void {
    const resolve = this.#takers.shift();
    if (resolve === undefined) this.#ready.push(key);
    else resolve(this.#start(key));
  }

  #shift(): K | undefined {
    if (this.#head === this.#ready.length) return undefined;
    const key = this.#ready[this.#head++];
    if (this.#head > 1_024 && this.#head * 2 > this.#ready.length) {
      this.#ready = this.#ready.slice(this.#head);
      this.#head = 0;
    }
    return key;
  }

  #start(key: K): K {
    this.#dirty.delete(key);
    this.#processing.add(key);
    return key;
  }

  /** One timer, for the earliest delayed key. */
  #arm(): void {
    const nextAtMs = this.#delayed.nextAtMs;
    if (nextAtMs === undefined || nextAtMs >= this.#timerAtMs) return;
    this.#cancelTimer?.();
    this.#timerAtMs = nextAtMs;
    this.#cancelTimer = this.#clock.schedule(nextAtMs - this.#clock.monotonic(), () => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      for (const key of this.#delayed.takeDue(this.#clock.monotonic())) this.add(key);
      this.#arm();
    });
  }
}
