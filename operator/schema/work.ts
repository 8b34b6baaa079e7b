/** A piece of work would cost more steps than it may. */
export class TooMuchWork extends Error {
  override readonly name: string = 'TooMuchWork';
}

/** The steps that a piece of work may still take. Equal work takes equal steps on every machine. */
export class Work {
  /** The steps that it may take at all. */
  readonly limit: number;
  readonly #whole: Work | undefined;
  #left: number;

  /**
   * @param limit - Infinity for no limit.
   * @param whole - what this piece is a part of: its steps count there, too.
   */
  constructor(limit: number, whole?: Work) {
    this.limit = limit;
    this.#left = limit;
    this.#whole = whole;
  }

  /** Negative when there was too much. */
  get left(): number {
    return this.#left;
  }

  /** @throws TooMuchWork when fewer than `steps` are left. */
  spend(steps: number): void {
    this.#whole?.spend(steps);
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork(`it takes more than ${this.limit} steps`);
  }
}

/** For work whose size the caller knows. */
export const UNLIMITED: Work = new Work(Number.POSITIVE_INFINITY);
