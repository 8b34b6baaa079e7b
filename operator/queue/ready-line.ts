import { LinkedList, type Place } from './linked-list.ts';
import { MinHeap } from './min-heap.ts';

/** One key in line. */
interface ReadyKey<K> {
  readonly key: K;
  /** Since when it may be handed out. */
  readonly readyAtMs: number;
  /** Since when it stands in its class; later than `readyAtMs` when it was raised. */
  readonly inClassAtMs: number;
  readonly inClass: PriorityClass<K>;
}

/** The ready keys of one priority. The first one came first, and is the oldest of the class. */
interface PriorityClass<K> {
  readonly priority: number;
  readonly line: LinkedList<ReadyKey<K>>;
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
 * - The highest class first, and inside a class first in, first out.
 * - A key of a lower class that waits for `agingLimitMs` is taken next nevertheless, the longest
 *   waiting first, but no more often than every fourth take: old work of low priority gets a quarter
 *   of the takes and urgent work three quarters.
 * - A key that is raised stands at the end of its new class and its age counts anew.
 *
 * Adding, raising and taking cost the same however many keys wait.
 */
export class ReadyLine<K> {
  readonly #agingLimitMs: number;
  readonly #places = new Map<K, Place<ReadyKey<K>>>();
  /** Every class with keys, and empty ones that have not come to the top of `#order` since. */
  readonly #classes = new Map<number, PriorityClass<K>>();
  readonly #order = new MinHeap<PriorityClass<K>>();
  #takesSinceAged = AGED_EVERY;
  /** Nothing can be old before this time, so that the classes need not be looked at. */
  #noneAgedBeforeMs = Number.NEGATIVE_INFINITY;

  /** @param agingLimitMs - default 60 s; `Infinity` turns ageing off. */
  constructor(agingLimitMs: number = DEFAULT_AGING_LIMIT_MS) {
    this.#agingLimitMs = agingLimitMs;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Keys in line by priority, the highest first. */
  get depths(): ReadonlyMap<number, number> {
    const filled = [...this.#classes.values()].filter(({ line }) => line.size > 0);
    const sorted = filled.sort((a, b) => b.priority - a.priority);
    return new Map(sorted.map(({ priority, line }) => [priority, line.size]));
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
    const place = this.#places.get(key);
    if (place === undefined || place.value.inClass.priority >= priority) return false;
    const { inClass, readyAtMs } = place.value;
    inClass.line.remove(place);
    this.#enter(key, priority, readyAtMs, nowMs);
    return true;
  }

  take(nowMs: number): Taken<K> | undefined {
    const top = this.#top();
    const regular = top?.line.first;
    if (top === undefined || regular === undefined) return undefined;
    const aged = this.#takesSinceAged + 1 < AGED_EVERY ? undefined : this.#aged(top, nowMs);
    this.#takesSinceAged = aged === undefined ? this.#takesSinceAged + 1 : 0;
    const { key, readyAtMs, inClass } = aged ?? regular;
    this.#leave(key);
    return { key, priority: inClass.priority, readyAtMs };
  }

  /** Forgets every key. */
  clear(): void {
    while (this.#order.pop() !== undefined);
    this.#classes.clear();
    this.#places.clear();
  }

  #enter(key: K, priority: number, readyAtMs: number, inClassAtMs: number): void {
    let inClass = this.#classes.get(priority);
    if (inClass === undefined) {
      inClass = { priority, line: new LinkedList() };
      this.#classes.set(priority, inClass);
      this.#order.push(inClass, -priority);
    }
    this.#places.set(key, inClass.line.push({ key, readyAtMs, inClassAtMs, inClass }));
  }

  #leave(key: K): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    place.value.inClass.line.remove(place);
    this.#places.delete(key);
    this.#top(); // drops the class when it became empty
  }

  /** The highest class that has keys. Empty ones above it are dropped. */
  #top(): PriorityClass<K> | undefined {
    for (let first = this.#order.first; first !== undefined; first = this.#order.first) {
      if (first.value.line.size > 0) return first.value;
      this.#order.pop();
      this.#classes.delete(first.value.priority);
    }
    return undefined;
  }

  /** The key outside of the top class that has waited too long, and longest. */
  #aged(top: PriorityClass<K>, nowMs: number): ReadyKey<K> | undefined {
    if (nowMs < this.#noneAgedBeforeMs) return undefined;
    let firstAtMs = nowMs;
    let oldest: ReadyKey<K> | undefined;
    for (const each of this.#classes.values()) {
      const first = each.line.first;
      if (first === undefined) continue;
      firstAtMs = Math.min(firstAtMs, first.inClassAtMs);
      const isOlder = oldest === undefined || first.inClassAtMs < oldest.inClassAtMs;
      if (each !== top && isOlder) oldest = first;
    }
    this.#noneAgedBeforeMs = firstAtMs + this.#agingLimitMs;
    if (oldest === undefined || nowMs - oldest.inClassAtMs < this.#agingLimitMs) return undefined;
    return oldest;
  }
}
