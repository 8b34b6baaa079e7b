interface Ranked<T> {
  readonly value: T;
  readonly rank: number;
}

/** A binary heap with the lowest rank first. The order of items with equal ranks is not defined. */
export class MinHeap<T> {
  readonly #items: Ranked<T>[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The item that `pop` would return. */
  get first(): Ranked<T> | undefined {
    return this.#items[0];
  }

  /** Adds a value. If ranks are pushed in ascending order, each call makes only one comparison. */
  push(value: T, rank: number): void {
    this.#items.push({ value, rank });
    this.#siftUp(this.#items.length - 1);
  }

  pop(): Ranked<T> | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last;
      this.#siftDown(0);
    }
    return first;
  }

  #siftUp(start: number): void {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfLower(at, parent)) return;
      at = parent;
    }
  }

  #siftDown(start: number): void {
    for (let at = start; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = this.#rankAt(right) < this.#rankAt(left) ? right : left;
      if (!this.#swapIfLower(child, at)) return;
      at = child;
    }
  }

  #rankAt(index: number): number {
    return this.#items[index]?.rank ?? Number.POSITIVE_INFINITY;
  }

  #swapIfLower(index: number, other: number): boolean {
    const a = this.#items[index];
    const b = this.#items[other];
    if (a === undefined || b === undefined || a.rank >= b.rank) return false;
    this.#items[index] = b;
    this.#items[other] = a;
    return true;
  }
}
