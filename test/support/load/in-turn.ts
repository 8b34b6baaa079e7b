/** The number at the end of an object's name; NaN when there is none. */
export function numberOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('-') + 1));
}

/**
 * Holds a handler to the order in which a load server tells: object 0, object 1, … and round again.
 * None may be told twice, or left out.
 */
export class InTurn {
  readonly #keys: number;
  #told = 0;

  constructor(keys: number) {
    this.#keys = keys;
  }

  get told(): number {
    return this.#told;
  }

  /** @throws Error when another object was to be told of. */
  take(key: string): void {
    const due = this.#told++ % this.#keys;
    if (numberOf(key) !== due) throw new Error(`after ${this.#told - 1} events came ${key}`);
  }
}

/** Holds what is told to growing numbers: creations in the order of their time. */
export class Ascending {
  #last = Number.NEGATIVE_INFINITY;

  /** @throws Error when the number is not above the one before. */
  take(key: string): void {
    const number = numberOf(key);
    if (!(number > this.#last)) throw new Error(`${key} came after ${this.#last}`);
    this.#last = number;
  }
}
