/** A key and when it is due, on the monotonic clock. */
interface Entry<K> {
  readonly key: K;
  readonly atMs: number;
}

/** Below so many entries outdated ones are not worth a thought. */
const MIN_REBUILD = 64;

/**
 * Keys ordered by when they are due; each key at most once.
 *
 * A binary heap in which an outdated entry stays until it surfaces: moving a key costs no search.
 * Entries due in ten hours would stay for ten hours, so that the heap is built anew when more than
 * half of it is outdated.
 */
export class DelayHeap<K> {
  #heap: Entry<K>[] = [];
  /** The only valid time of each key. An entry of the heap with another time is outdated. */
  readonly #dueAt = new Map<K, number>();

  get size(): number {
    return this.#dueAt.size;
  }

  /** When the first key is due; undefined when none waits. */
  get nextAtMs(): number | undefined {
    this.#dropOutdated();
    return this.#heap[0]?.atMs;
  }

  /** Makes `key` due at `atMs`, or earlier if it was due earlier. */
  add(key: K, atMs: number): void {
    if (atMs >= (this.#dueAt.get(key) ?? Number.POSITIVE_INFINITY)) return;
    this.#dueAt.set(key, atMs);
    this.#heap.push({ key, atMs });
    this.#siftUp(this.#heap.length - 1);
    this.#rebuildIfOutdated();
  }

  delete(key: K): void {
    if (this.#dueAt.delete(key)) this.#rebuildIfOutdated();
  }

  /** Takes every key that is due, earliest first. */
  takeDue(nowMs: number): K[] {
    const due: K[] = [];
    for (let at = this.nextAtMs; at !== undefined && at <= nowMs; at = this.nextAtMs) {
      const first = this.#pop();
      if (first === undefined) break;
      this.#dueAt.delete(first.key);
      due.push(first.key);
    }
    return due;
  }

  clear(): void {
    this.#heap = [];
    this.#dueAt.clear();
  }

  #dropOutdated(): void {
    for (let top = this.#heap[0]; top && this.#dueAt.get(top.key) !== top.atMs; top = this.#heap[0])
      this.#pop();
  }

  #rebuildIfOutdated(): void {
    if (this.#heap.length <= Math.max(MIN_REBUILD, 2 * this.#dueAt.size)) return;
    this.#heap = Array.from(this.#dueAt, ([key, atMs]) => ({ key, atMs }));
    this.#heap.sort((a, b) => a.atMs - b.atMs); // a sorted array is a heap
  }

  #pop(): Entry<K> | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#siftDown(0);
    }
    return first;
  }

  #siftUp(start: number): void {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfEarlier(at, parent)) return;
      at = parent;
    }
  }

  #siftDown(start: number): void {
    for (let at = start; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = this.#at(right) < this.#at(left) ? right : left;
      if (!this.#swapIfEarlier(child, at)) return;
      at = child;
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  #swapIfEarlier(index: number, other: number): boolean {
    const a = this.#heap[index];
    const b = this.#heap[other];
    if (a === undefined || b === undefined || a.atMs >= b.atMs) return false;
    this.#heap[index] = b;
    this.#heap[other] = a;
    return true;
  }
}
