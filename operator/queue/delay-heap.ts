import { MinHeap } from './min-heap.ts';

/** Below so many entries outdated ones are not worth a thought. */
const MIN_REBUILD = 64;

/**
 * Keys ordered by when they are due, on the monotonic clock; each key at most once.
 *
 * An outdated entry stays in the heap until it surfaces: moving a key costs no search. Entries due in
 * ten hours would stay for ten hours, so that the heap is built anew when more than half of it is
 * outdated.
 */
export class DelayHeap<K> {
  #heap = new MinHeap<K>();
  /** The only valid time of each key. An entry of the heap with another time is outdated. */
  readonly #dueAt = new Map<K, number>();

  get size(): number {
    return this.#dueAt.size;
  }

  /** When the first key is due; undefined when none waits. */
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

  /** Makes `key` due at `atMs`, or earlier if it was due earlier. Infinity is never, and not kept. */
  add(key: K, atMs: number): void {
    if (atMs >= (this.#dueAt.get(key) ?? Number.POSITIVE_INFINITY)) return;
    this.#dueAt.set(key, atMs);
    this.#heap.push(key, atMs);
    this.#rebuildIfOutdated();
  }

  delete(key: K): void {
    if (this.#dueAt.delete(key)) this.#rebuildIfOutdated();
  }

  /** Takes every key that is due, earliest first. */
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
