import { MinHeap } from '../core/min-heap.ts';

/** One key in the line. */
interface ReadyKey<K> {
  readonly key: K;
  /** The time when the key became ready. */
  readonly readyAtMs: number;
  /** The time when the key joined its class. This is later than `readyAtMs` if its priority was raised. */
  readonly inClassAtMs: number;
  readonly inClass: PriorityClass<K>;
}

/** The ready keys of one priority. The key that was added first comes first. */
interface PriorityClass<K> {
  readonly priority: number;
  readonly line: LinkedList<ReadyKey<K>>;
}

/** A key that was handed out. */
export interface Taken<K> {
  readonly key: K;
  readonly priority: number;
  readonly readyAtMs: number;
}

const DEFAULT_AGING_LIMIT_MS = 60_000;

/** At most every fourth key that is taken is an aged key. */
const AGED_EVERY = 4;

/**
 * Ready keys, and the order in which they are handed out.
 *
 * - The highest class goes first. Inside a class the order is first in, first out.
 * - A key of a lower class that has waited for `agingLimitMs` is taken before the higher classes. Of several
 *   such keys, the key that has waited longest is taken. At most every fourth key is taken in this way, so at
 *   least three quarters of the taken keys are keys of high priority.
 * - A key whose priority is raised goes to the end of its new class, and its age starts again.
 *
 * The time for adding, raising or taking a key does not depend on the number of keys.
 */
export class ReadyLine<K> {
  readonly #agingLimitMs: number;
  readonly #places = new Map<K, Place<ReadyKey<K>>>();
  /** All classes with keys, and empty classes that were not removed from `#order` yet. */
  readonly #classes = new Map<number, PriorityClass<K>>();
  readonly #order = new MinHeap<PriorityClass<K>>();
  #takesSinceAged = AGED_EVERY;
  /** No key is aged before this time, so `#aged` can skip the classes until then. */
  #noneAgedBeforeMs = Number.NEGATIVE_INFINITY;

  /**
   * @param agingLimitMs - after waiting for this long, a key counts as aged. Default 60 s; `Infinity` turns
   *   ageing off.
   */
  constructor(agingLimitMs: number = DEFAULT_AGING_LIMIT_MS) {
    this.#agingLimitMs = agingLimitMs;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Every waiting key, in no particular order. */
  keys(): Iterable<K> {
    return this.#places.keys();
  }

  /** The time when `key` became ready; undefined if the key does not wait. */
  readyAtMs(key: K): number | undefined {
    return this.#places.get(key)?.value.readyAtMs;
  }

  /** Number of waiting keys for each priority. The highest priority comes first. */
  get depths(): ReadonlyMap<number, number> {
    const filled = [...this.#classes.values()].filter(({ line }) => line.size > 0);
    const sorted = filled.sort((a, b) => b.priority - a.priority);
    return new Map(sorted.map(({ priority, line }) => [priority, line.size]));
  }

  /** Number of classes in memory. */
  get classCount(): number {
    return this.#classes.size;
  }

  /** @param key - the key to add. The key must not be waiting already. */
  push(key: K, priority: number, nowMs: number): void {
    this.#enter(key, priority, nowMs, nowMs);
  }

  /**
   * Moves `key` to the end of a higher class. Returns false when the key does not wait, or is already in a
   * class that is at least as high.
   */
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

  /** Takes this key, wherever it is in the queue. Returns undefined when the key does not wait. */
  takeKey(key: K): Taken<K> | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const { readyAtMs, inClass } = place.value;
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
    this.#top(); // drops a class that became empty
  }

  /** The highest class that has keys. Empty classes above that class are removed. */
  #top(): PriorityClass<K> | undefined {
    for (let first = this.#order.first; first !== undefined; first = this.#order.first) {
      if (first.value.line.size > 0) return first.value;
      this.#order.pop();
      this.#classes.delete(first.value.priority);
    }
    return undefined;
  }

  /** The key outside the top class that has waited longest, if it has waited for at least `agingLimitMs`. */
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

/** A heap with at most this many entries is never rebuilt. */
const MIN_REBUILD = 64;

/**
 * Keys ordered by due time on the monotonic clock. Each key occurs at most once.
 *
 * An outdated entry stays in the heap until it reaches the top, so that moving a key needs no search. An
 * entry that is due in ten hours would stay for ten hours, so the heap is rebuilt when more than half of its
 * entries are outdated.
 */
export class DelayHeap<K> {
  #heap = new MinHeap<K>();
  /** The valid due time of each key. A heap entry with another time is outdated. */
  readonly #dueAt = new Map<K, number>();

  get size(): number {
    return this.#dueAt.size;
  }

  /** The time when the first key is due; undefined when there is no key. */
  get nextAtMs(): number | undefined {
    this.#dropOutdated();
    return this.#heap.first?.rank;
  }

  has(key: K): boolean {
    return this.#dueAt.has(key);
  }

  keys(): Iterable<K> {
    return this.#dueAt.keys();
  }

  /** The time when `key` is due; undefined if the key is not in the heap. */
  dueAtMs(key: K): number | undefined {
    return this.#dueAt.get(key);
  }

  /**
   * Makes `key` due at `atMs`, unless it is due earlier. A key that would be due at `Infinity` is not stored.
   */
  add(key: K, atMs: number): void {
    if (atMs >= (this.#dueAt.get(key) ?? Number.POSITIVE_INFINITY)) return;
    this.#dueAt.set(key, atMs);
    this.#heap.push(key, atMs);
    this.#rebuildIfOutdated();
  }

  delete(key: K): void {
    if (this.#dueAt.delete(key)) this.#rebuildIfOutdated();
  }

  /** Takes all keys that are due. The key that was due first comes first. */
  takeDue(nowMs: number): K[] {
    const due: K[] = [];
    for (let at = this.nextAtMs; at !== undefined && at <= nowMs; at = this.nextAtMs) {
      const first = this.#heap.pop();
      if (first === undefined) break;
      this.#dueAt.delete(first.value);
      due.push(first.value);
    }
    return due;
  }

  clear(): void {
    this.#heap = new MinHeap();
    this.#dueAt.clear();
  }

  #dropOutdated(): void {
    for (
      let top = this.#heap.first;
      top !== undefined && this.#dueAt.get(top.value) !== top.rank;
      top = this.#heap.first
    ) {
      this.#heap.pop();
    }
  }

  #rebuildIfOutdated(): void {
    if (this.#heap.size <= Math.max(MIN_REBUILD, 2 * this.#dueAt.size)) return;
    this.#heap = new MinHeap();
    for (const [key, atMs] of [...this.#dueAt].sort(([, a], [, b]) => a - b)) {
      this.#heap.push(key, atMs);
    }
  }
}

/** The position of a value in its list. Only the list may use its other members. */
export interface Place<T> {
  readonly value: T;
  previous: Place<T> | undefined;
  next: Place<T> | undefined;
}

/**
 * Values in the order in which they were added. Removing any value is as fast as removing the first value.
 */
export class LinkedList<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  /** Appends `value`. Pass the returned place to `remove` to remove the value again. */
  push(value: T): Place<T> {
    const place: Place<T> = { value, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
    this.#size++;
    return place;
  }

  /** @param place - a place in this list that has not been removed yet. */
  remove(place: Place<T>): void {
    const { previous, next } = place;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    this.#size--;
  }
}
