import { MinHeap } from './min-heap.ts';
import { type Entry, PriorityClass } from './priority-class.ts';

/** In which order keys that are ready are taken. */
export interface ReadyLineOptions<K> {
  /** Default 60 s. `Infinity` turns ageing off. */
  readonly agingLimitMs?: number;
  /** Keys with the same answer share their class's turns with the others. Default: no such turns. */
  readonly fairnessKey?: (key: K) => string;
}

interface Taken<K> {
  readonly key: K;
  readonly priority: number;
  readonly readyAtMs: number;
}

const DEFAULT_AGING_LIMIT_MS = 60_000;

/** Of so many takes in a row at most one is given to age. */
const AGED_EVERY = 4;

/**
 * Keys that may be handed out, and in which order.
 *
 * - The highest class first, and inside a class first in, first out (or by turns of fairness keys).
 * - A key of a lower class that waits for `agingLimitMs` is taken next nevertheless, the longest
 *   waiting first, but no more often than every fourth take: old work of low priority gets a quarter
 *   of the takes and urgent work three quarters.
 * - A key that is raised stands at the end of its new class and its age counts anew.
 *
 * Adding, raising and taking cost the same however many keys wait.
 */
export class ReadyLine<K> {
  readonly #agingLimitMs: number;
  readonly #flowOf: (key: K) => string;
  readonly #entries = new Map<K, Entry<K>>();
  /** Every class with entries, and empty ones that have not come to the top of `#order` since. */
  readonly #classes = new Map<number, PriorityClass<K>>();
  readonly #order = new MinHeap<PriorityClass<K>>();
  #takesSinceAged = AGED_EVERY;
  /** Nothing can be old before this time, so that the classes need not be looked at. */
  #noneAgedBeforeMs = Number.NEGATIVE_INFINITY;

  constructor({ agingLimitMs, fairnessKey }: ReadyLineOptions<K> = {}) {
    this.#agingLimitMs = agingLimitMs ?? DEFAULT_AGING_LIMIT_MS;
    this.#flowOf = fairnessKey ?? (() => '');
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Keys in line by priority, the highest first. */
  get depths(): ReadonlyMap<number, number> {
    const filled = [...this.#classes.values()].filter(({ size }) => size > 0);
    const sorted = filled.sort((a, b) => b.priority - a.priority);
    return new Map(sorted.map(({ priority, size }) => [priority, size]));
  }

  /** Classes that take room. */
  get classCount(): number {
    return this.#classes.size;
  }

  /** @param key - one that is not in line. */
  push(key: K, priority: number, nowMs: number): void {
    this.#enter(key, priority, nowMs, nowMs);
  }

  /** Moves `key` to the end of a higher class; false when it is not in line or stands as high. */
  raise(key: K, priority: number, nowMs: number): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.inClass.priority >= priority) return false;
    entry.inClass.remove(entry);
    this.#enter(key, priority, entry.readyAtMs, nowMs);
    return true;
  }

  take(nowMs: number): Taken<K> | undefined {
    const top = this.#top();
    const regular = top?.next;
    if (top === undefined || regular === undefined) return undefined;
    const aged = this.#takesSinceAged + 1 < AGED_EVERY ? undefined : this.#aged(top, nowMs);
    this.#takesSinceAged = aged === undefined ? this.#takesSinceAged + 1 : 0;
    const { key, readyAtMs, inClass } = this.#leave(aged ?? regular);
    return { key, priority: inClass.priority, readyAtMs };
  }

  /** Forgets every key. */
  clear(): void {
    while (this.#order.pop() !== undefined);
    this.#classes.clear();
    this.#entries.clear();
  }

  #enter(key: K, priority: number, readyAtMs: number, nowMs: number): void {
    let inClass = this.#classes.get(priority);
    if (inClass === undefined) {
      inClass = new PriorityClass(priority);
      this.#classes.set(priority, inClass);
      this.#order.push(inClass, -priority);
    }
    this.#entries.set(key, inClass.push(key, this.#flowOf(key), readyAtMs, nowMs));
  }

  #leave(entry: Entry<K>): Entry<K> {
    entry.inClass.take(entry);
    this.#entries.delete(entry.key);
    this.#top(); // the last one out turns off the lights
    return entry;
  }

  /** The highest class that has entries. Empty ones above it are dropped. */
  #top(): PriorityClass<K> | undefined {
    for (let first = this.#order.first; first !== undefined; first = this.#order.first) {
      if (first.value.size > 0) return first.value;
      this.#order.pop();
      this.#classes.delete(first.value.priority);
    }
    return undefined;
  }

  /** The entry outside of the top class that has waited too long, and longest. */
  #aged(top: PriorityClass<K>, nowMs: number): Entry<K> | undefined {
    if (nowMs < this.#noneAgedBeforeMs) return undefined;
    let firstAtMs = nowMs;
    let oldest: Entry<K> | undefined;
    for (const each of this.#classes.values()) {
      const entry = each.oldest;
      if (entry === undefined) continue;
      firstAtMs = Math.min(firstAtMs, entry.inClassAtMs);
      const isOlder = oldest === undefined || entry.inClassAtMs < oldest.inClassAtMs;
      if (each !== top && isOlder) oldest = entry;
    }
    this.#noneAgedBeforeMs = firstAtMs + this.#agingLimitMs;
    if (oldest === undefined || nowMs - oldest.inClassAtMs < this.#agingLimitMs) return undefined;
    return oldest;
  }
}
