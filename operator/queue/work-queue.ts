import { abortable } from '../core/abort.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Meter } from '../core/metrics.ts';
import { KeyBackoff, type KeyBackoffOptions } from './key-backoff.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { DelayHeap, ReadyLine, type Taken } from './ready-line.ts';

/** Settings for the order and the delays of a queue. Each has a default. */
export interface QueueSettings {
  /** The delays after failures of a key. Default: 5 ms, 10 ms, … up to 1,000 s. */
  readonly backoff?: KeyBackoffOptions;
  /**
   * A ready key of low priority is aged once it has waited for this many milliseconds. At most every fourth
   * key that is handed out is an aged key. Default 60 s. `Infinity` turns ageing off.
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
  /**
   * A whole number. Keys with a higher priority come first. Default 0; for a retry, the priority with which
   * the key was taken.
   */
  readonly priority?: number;
}

export interface RetryOptions extends AddOptions {
  /** The longest back-off, including jitter. Default: the maximum of the queue. */
  readonly maxMs?: number;
  /**
   * A delay that is used instead of the back-off, plus or minus 10 %. The failure is counted nevertheless.
   */
  readonly everyMs?: number;
}

interface ShutdownOptions {
  /** If true, the ready keys are handed out before the queue closes. Default false. */
  readonly drain?: boolean;
  /** When this signal aborts, the shutdown no longer waits for held keys. */
  readonly signal: AbortSignal;
}

/** A key that a worker holds. */
interface Held {
  readonly priority: number;
  readonly readyAtMs: number;
  readonly takenAtMs: number;
}

/** A key of a queue, for display. */
export interface QueuedKey<K> {
  readonly key: K;
  /**
   * `working`: a worker holds the key. `ready`: the key can be taken, or a worker holds it and it was added
   * again.
   */
  readonly state: 'ready' | 'delayed' | 'working';
  /** Milliseconds until a delayed key is ready. Undefined for other keys. */
  readonly dueInMs: number | undefined;
  readonly priority: number;
}

/** Where a key is in a queue, and for how long. */
export interface KeyPlace<K> extends QueuedKey<K> {
  /** Milliseconds since a worker took the key, or since it became ready. 0 for a delayed key. */
  readonly forMs: number;
  /** True if a worker holds the key and it was added again, so that it is handed out once more. */
  readonly isAddedAgain: boolean;
}

/**
 * The priority of keys that are not urgent, such as keys from first lists, relists, resyncs and polls.
 * controller-runtime uses the same value.
 */
export const LOW_PRIORITY = -100;

/**
 * Keys that wait for a worker. They are ordered by priority, each key is in the queue only once, and only one
 * worker at a time gets a key.
 *
 * - A waiting key that is added again keeps the higher priority and the earlier time; nothing else changes.
 *   If its priority rises, it goes to the end of its new class.
 * - A key that is added while a worker holds it becomes ready once more after `done`.
 * - A delayed key that is added becomes ready now, and its delayed entry is dropped.
 * - Keys of high priority go first, but no ready key starves: see `ReadyLine`.
 * - After `close` no key is handed out any more, not even a delayed key. Workers finish the keys that they
 *   hold.
 */
export class WorkQueue<K> {
  readonly #clock: Clock;
  readonly #backoff: KeyBackoff<K>;
  readonly #metrics: QueueMetrics | undefined;
  /** The priority of each key that is ready, delayed, or held and added again. */
  readonly #waiting = new Map<K, number>();
  /** Every ready key is in `#waiting`, and neither in `#delayed` nor in `#processing`. */
  readonly #ready: ReadyLine<K>;
  readonly #delayed = new DelayHeap<K>();
  readonly #processing = new Map<K, Held>();
  /** Calls of `take` that wait for a key. There are none while a key is ready. */
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

  /** Number of keys that are ready and have not been taken. */
  get depth(): number {
    return this.#ready.size;
  }

  /** `depth` for each priority. The highest priority comes first. */
  get depths(): ReadonlyMap<number, number> {
    return this.#ready.depths;
  }

  /** The keys that are ready and have not been taken, in no particular order. */
  get readyKeys(): Iterable<K> {
    return this.#ready.keys();
  }

  /** Number of keys that become ready later. */
  get delayedCount(): number {
    return this.#delayed.size;
  }

  /** Number of waiting keys: ready, delayed, or held and added again. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** True for a key that is ready, delayed, or held and added again. */
  isWaiting(key: K): boolean {
    return this.#waiting.has(key);
  }

  /** Number of keys that workers hold. */
  get processingCount(): number {
    return this.#processing.size;
  }

  /** Number of keys whose failures have not been forgotten. */
  get failingCount(): number {
    return this.#backoff.size;
  }

  /** Milliseconds for which the longest-held key has been held; 0 when no key is held. */
  get longestProcessingMs(): number {
    const [first] = this.#processing.values();
    return first === undefined ? 0 : this.#clock.monotonic() - first.takenAtMs;
  }

  /**
   * Makes `key` ready now.
   *
   * @throws ConfigurationError `CONFIG` when the priority is not a whole number. `addAfter` and `retry` throw
   *   it as well.
   */
  add(key: K, { priority = 0 }: AddOptions = {}): void {
    if (this.#state !== 'open') return;
    const isDue = this.#isDue(key);
    this.#merge(key, priority);
    if (isDue) return;
    this.#delayed.delete(key);
    this.#becomeDue(key);
    this.#handOut();
  }

  /** Makes `key` ready after `delayMs`, unless another call makes it ready earlier. Infinity means never. */
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
   * Counts a failure of `key` and makes it ready after its back-off. A key does not wait because of failures
   * of other keys: as in controller-runtime, there is no common rate limit for retries.
   *
   * @param atLeastMs - the minimum delay, for example a delay that a server has requested.
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
      priority: options.priority ?? this.#processing.get(key)?.priority ?? 0,
    });
    return delayMs;
  }

  /** Call this when `key` has succeeded. Its next failure then counts as its first failure. */
  forget(key: K): void {
    this.#backoff.forget(key);
  }

  /** Number of failures of `key` in a row. */
  failures(key: K): number {
    return this.#backoff.failures(key);
  }

  /** The priority with which a held key was taken; 0 if the key is not held. */
  processingPriority(key: K): number {
    return this.#processing.get(key)?.priority ?? 0;
  }

  /** Milliseconds for which a held key had been ready when it was taken; 0 if the key is not held. */
  waitedMs(key: K): number {
    const held = this.#processing.get(key);
    return held === undefined ? 0 : held.takenAtMs - held.readyAtMs;
  }

  /** Every key that is waiting or held. A held key that was added again is returned twice. */
  *keys(): Generator<QueuedKey<K>, void, undefined> {
    for (const [key, { priority }] of this.#processing) {
      yield { key, state: 'working', dueInMs: undefined, priority };
    }
    const now = this.#clock.monotonic();
    for (const [key, priority] of this.#waiting) yield this.#waitingKey(key, priority, now);
  }

  /** Where a key is; undefined for a key that is neither waiting nor held. */
  placeOf(key: K): KeyPlace<K> | undefined {
    const now = this.#clock.monotonic();
    const held = this.#processing.get(key);
    const priority = this.#waiting.get(key);
    if (held !== undefined) {
      const place = { key, state: 'working', dueInMs: undefined, priority: held.priority } as const;
      return { ...place, forMs: now - held.takenAtMs, isAddedAgain: priority !== undefined };
    }
    if (priority === undefined) return undefined;
    const forMs = now - (this.#ready.readyAtMs(key) ?? now);
    return { ...this.#waitingKey(key, priority, now), forMs, isAddedAgain: false };
  }

  #waitingKey(key: K, priority: number, now: number): QueuedKey<K> {
    const dueAtMs = this.#delayed.dueAtMs(key);
    return dueAtMs === undefined
      ? { key, state: 'ready', dueInMs: undefined, priority }
      : { key, state: 'delayed', dueInMs: Math.max(0, dueAtMs - now), priority };
  }

  /** Resolves to the next key, or to undefined when no key will be handed out any more. */
  take(): Promise<K | undefined> {
    if (this.depth > 0 || this.#isEnded) return Promise.resolve(this.#start());
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /**
   * Hands out this key, wherever it is in the queue. Returns false when the key is not ready; nothing changes
   * then. Call `done` for the key, as after `take`.
   */
  takeKey(key: K): boolean {
    const taken = this.#ready.takeKey(key);
    if (taken !== undefined) this.#process(taken);
    return taken !== undefined;
  }

  /** Call this exactly once for every key returned by `take`, after success or failure. */
  done(key: K): void {
    if (!this.#processing.delete(key)) return;
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
   * Closes the queue, and resolves when no key is held any more. If `drain` is true, keys that are ready, or
   * were added while they were held, are handed out before that. Delayed keys and keys that are added later
   * are not handed out.
   *
   * @throws `signal.reason` when `signal` aborts before that. The queue is then closed.
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

  /** True for a key that is ready, or will be ready as soon as its worker is done with it. */
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
    if (!this.#processing.has(key)) this.#line(key);
  }

  #line(key: K): void {
    const priority = this.#waiting.get(key) ?? 0;
    this.#ready.push(key, priority, this.#clock.monotonic());
    this.#metrics?.entered(priority);
  }

  /**
   * Hands ready keys to waiting calls of `take`. After the end, resolves all calls of `take` and `shutdown`.
   */
  #handOut(): void {
    while (this.#takers.length > 0 && (this.depth > 0 || this.#isEnded)) {
      this.#takers.shift()?.(this.#start());
    }
    if (this.#isEnded && this.#processing.size === 0) this.#idle.resolve();
  }

  #start(): K | undefined {
    const taken = this.#ready.take(this.#clock.monotonic());
    if (taken === undefined) return undefined;
    this.#process(taken);
    return taken.key;
  }

  #process({ key, priority, readyAtMs }: Taken<K>): void {
    this.#waiting.delete(key);
    this.#processing.set(key, { priority, readyAtMs, takenAtMs: this.#clock.monotonic() });
    this.#metrics?.left(priority);
    this.#metrics?.taken(key, readyAtMs);
  }

  #dropDelayed(): void {
    for (const key of this.#delayed.keys()) this.#waiting.delete(key);
    this.#delayed.clear();
    this.#cancelTimer?.();
  }

  /** Sets a single timer for the delayed key that is due first. */
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
