/** Thrown when a piece of work would take more steps than its limit. */
export class TooMuchWork extends Error {
  override readonly name: string = 'TooMuchWork';
}

/**
 * The steps that a piece of work may still take. The same work takes the same number of steps on
 * every machine.
 */
export class Work {
  /** Maximum number of steps in total. */
  readonly limit: number;
  readonly #whole: Work | undefined;
  #left: number;

  /**
   * @param limit - Infinity for no limit.
   * @param whole - the larger piece of work that contains this one. Each step counts for both.
   */
  constructor(limit: number, whole?: Work) {
    this.limit = limit;
    this.#left = limit;
    this.#whole = whole;
  }

  /** Number of remaining steps; negative when the work has taken too many steps. */
  get left(): number {
    return this.#left;
  }

  /**
   * Counts steps.
   *
   * @throws TooMuchWork when fewer than `steps` are left.
   */
  spend(steps: number): void {
    this.#whole?.spend(steps);
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork(`it takes more than ${this.limit} steps`);
  }
}

/** A limit that is never reached, for work that is known to be small. */
export const UNLIMITED: Work = new Work(Number.POSITIVE_INFINITY);
