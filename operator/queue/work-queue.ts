import { abortable } from '../core/abort.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Meter } from '../core/metrics.ts';
import { DelayHeap } from './delay-heap.ts';
import { KeyBackoff, type KeyBackoffOptions } from './key-backoff.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { ReadyLine } from './ready-line.ts';

/** How a queue orders and delays; each has a default. */
export interface QueueSettings {
  /** The pauses after failures of a key. Default: 5 ms, 10 ms, … up to 1,000 s. */
  readonly backoff?: KeyBackoffOptions;
  /**
   * In milliseconds: a ready key of low priority that has waited for so long gets every fourth take.
   * Default 60 s. `Infinity` turns ageing off.
   */
  readonly agingLimitMs?: number;
}

interface WorkQueueOptions extends QueueSettings {
  readonly clock: Clock;
  /** Default: nothing is measured. `name` becomes the labels `name` and `controller`. */
  readonly metrics?: { readonly meter: Meter; readonly name: string };
}

/** How a key is added. */
export interface AddOptions {
  /** A whole number, higher first. Default 0; of a retry, the priority that the key was taken with. */
  readonly priority?: number;
}

export interface RetryOptions extends AddOptions {
  /** The longest back-off, jitter included. Default: that of the queue. */
  readonly maxMs?: number;
  /** About so long, 10 % more or less, in place of the back-off. The failure is counted all the same. */
  readonly everyMs?: number;
}

interface ShutdownOptions {
  /** Hand out what is ready first. Default false. */
  readonly drain?: boolean;
  /** The end of patience. */
  readonly signal: AbortSignal;
}

/** What nobody waits for: first lists, relists, resyncs, polls. controller-runtime's number. */
export const LOW_PRIORITY = -100;

/**
 * Keys waiting to be worked on: by priority, deduplicating, one worker per key.
 *
 * - A key that is added again while it waits keeps the higher priority and the earlier time; nothing
 *   else changes. Raised, it stands at the end of its new class.
 * - Adding a key that a worker holds makes it ready again after `done`, once.
 * - A delayed key that is added becomes ready now, and its delayed entry is dropped.
 * - Urgent keys first, but nothing ready starves: see `ReadyLine`.
 * - After `close` no key is handed out any more, delayed ones included; who holds one finishes it.
 */
export class WorkQueue<K> {
  readonly #clock: Clock;
  readonly #backoff: KeyBackoff<K>;
  readonly #metrics: QueueMetrics | undefined;
  /** The priority of each key that is to be taken: ready, delayed, or held and added again. */
  readonly #waiting = new Map<K, number>();
  /** Every key of it is in `#waiting`, and in neither of the next two. */
  readonly #ready: ReadyLine<K>;
  readonly #delayed = new DelayHeap<K>();
  readonly #held = new Map<K, { readonly priority: number; readonly takenAtMs: number }>();
  /** Empty while a key is ready. */
  readonly #takers: ((key: K | undefined) => void)[] = [];
  #cancelTimer: Cancel | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #state: 'open' | 'draining' | 'closed' = 'open';
  readonly #idle = Promise.withResolvers<void>();

  constructor({ clock, backoff, agingLimitMs, metrics }: WorkQueueOptions) {
    this.#clock = clock;
    this.#backoff = new KeyBackoff(backoff);
    this.#metrics = metrics && new QueueMetrics(metrics.meter, clock, metrics.name);
    this.#ready = new ReadyLine(agingLimitMs);
  }

  /** Keys that are ready and not taken. */
  get depth(): number {
    return this.#ready.size;
  }

  /** The same by priority, the highest first. */
  get depths(): ReadonlyMap<number, number> {
    return this.#ready.depths;
  }

  /** Keys that become ready by themselves, later. */
  get delayedCount(): number {
    return this.#delayed.size;
  }

  /** Keys that are to be taken now or later: ready, delayed, or held and added again. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Keys that workers hold. */
  get heldCount(): number {
    return this.#held.size;
  }

  /** Keys with failures that are not forgotten. */
  get failingCount(): number {
    return this.#backoff.size;
  }

  /** For how long the key that was taken first is held, in milliseconds; 0 when none is. */
  get longestHeldMs(): number {
    const [first] = this.#held.values();
    return first === undefined ? 0 : this.#clock.monotonic() - first.takenAtMs;
  }

  /** @throws ConfigurationError `CONFIG` when the priority is not a whole number; so do the others. */
  add(key: K, { priority = 0 }: AddOptions = {}): void {
    if (this.#state !== 'open') return;
    const isDue = this.#isDue(key);
    this.#merge(key, priority);
    if (isDue) return;
    this.#delayed.delete(key);
    this.#becomeDue(key);
    this.#handOut();
  }

  /** Makes `key` ready after `delayMs`, or earlier if something else does. Infinity is never. */
  addAfter(key: K, delayMs: number, options: AddOptions = {}): void {
    if (!(delayMs > 0)) {
      this.add(key, options);
      return;
    }
    if (this.#state !== 'open' || delayMs === Number.POSITIVE_INFINITY) return;
    const isDue = this.#isDue(key);
    this.#merge(key, options.priority ?? 0);
    if (isDue) return;
    this.#delayed.add(key, this.#clock.monotonic() + delayMs);
    this.#arm();
  }

  /**
   * Counts a failure of `key` and makes it ready after its back-off. Keys do not wait for the
   * failures of others: as in controller-runtime, there is no bucket for the retries of all keys.
   *
   * @param atLeastMs - a longer wait that somebody asked for.
   * @returns the delay in milliseconds.
   */
  retry(key: K, atLeastMs = 0, { maxMs, everyMs, ...options }: RetryOptions = {}): number {
    const ownMs =
      everyMs === undefined
        ? this.#backoff.nextMs(key, maxMs)
        : this.#backoff.aroundMs(key, everyMs);
    const delayMs = Math.max(ownMs, atLeastMs);
    this.#metrics?.retried();
    this.addAfter(key, delayMs, {
      priority: options.priority ?? this.#held.get(key)?.priority ?? 0,
    });
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

  /** The priority with which a held key was taken; 0 for one that nobody holds. */
  heldPriority(key: K): number {
    return this.#held.get(key)?.priority ?? 0;
  }

  /** Resolves to the next key, or to undefined once none will be handed out any more. */
  take(): Promise<K | undefined> {
    if (this.depth > 0 || this.#isEnded) return Promise.resolve(this.#start());
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Must be called exactly once for every key returned by `take`, success or not. */
  done(key: K): void {
    if (!this.#held.delete(key)) return;
    this.#metrics?.done(key);
    if (this.#isDue(key)) this.#line(key);
    this.#handOut();
  }

  close(): void {
    this.#state = 'closed';
    this.#dropDelayed();
    this.#waiting.clear();
    this.#ready.clear();
    this.#metrics?.emptied();
    this.#handOut();
  }

  /**
   * Closes the queue, and resolves when nobody holds a key any more. To drain means that what is ready,
   * or was added while it was held, is handed out first; what is delayed or added later is not.
   *
   * @throws `signal.reason` when aborted first; the queue is closed then.
   */
  async shutdown({ drain = false, signal }: ShutdownOptions): Promise<void> {
    if (!drain) this.close();
    else if (this.#state === 'open') {
      this.#state = 'draining';
      this.#dropDelayed();
      this.#handOut();
    }
    try {
      await abortable(this.#idle.promise, signal);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Ready, or ready as soon as its worker is done with it. */
  #isDue(key: K): boolean {
    return this.#waiting.has(key) && !this.#delayed.has(key);
  }

  get #isEnded(): boolean {
    return this.#state !== 'open' && this.#waiting.size === 0;
  }

  #merge(key: K, priority: number): void {
    if (!Number.isSafeInteger(priority)) {
      throw new ConfigurationError('a priority must be a whole number', { context: { priority } });
    }
    const before = this.#waiting.get(key);
    if (before !== undefined && before >= priority) return;
    this.#waiting.set(key, priority);
    if (before === undefined || !this.#ready.raise(key, priority, this.#clock.monotonic())) return;
    this.#metrics?.left(before);
    this.#metrics?.entered(priority);
  }

  #becomeDue(key: K): void {
    this.#metrics?.added();
    if (!this.#held.has(key)) this.#line(key);
  }

  #line(key: K): void {
    const priority = this.#waiting.get(key) ?? 0;
    this.#ready.push(key, priority, this.#clock.monotonic());
    this.#metrics?.entered(priority);
  }

  /** Serves who waits, and after the end tells everybody who waits for it. */
  #handOut(): void {
    while (this.#takers.length > 0 && (this.depth > 0 || this.#isEnded)) {
      this.#takers.shift()?.(this.#start());
    }
    if (this.#isEnded && this.#held.size === 0) this.#idle.resolve();
  }

  #start(): K | undefined {
    const taken = this.#ready.take(this.#clock.monotonic());
    if (taken === undefined) return undefined;
    const { key, priority, readyAtMs } = taken;
    this.#waiting.delete(key);
    this.#held.set(key, { priority, takenAtMs: this.#clock.monotonic() });
    this.#metrics?.left(priority);
    this.#metrics?.taken(key, readyAtMs);
    return key;
  }

  #dropDelayed(): void {
    for (const key of this.#delayed.keys()) this.#waiting.delete(key);
    this.#delayed.clear();
    this.#cancelTimer?.();
  }

  /** One timer, for the earliest delayed key. */
  #arm(): void {
    const nextAtMs = this.#delayed.nextAtMs;
    if (nextAtMs === undefined || nextAtMs >= this.#timerAtMs) return;
    this.#cancelTimer?.();
    this.#timerAtMs = nextAtMs;
    this.#cancelTimer = this.#clock.schedule(nextAtMs - this.#clock.monotonic(), () => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      for (const key of this.#delayed.takeDue(this.#clock.monotonic())) this.#becomeDue(key);
      this.#arm();
      this.#handOut();
    });
  }
}
