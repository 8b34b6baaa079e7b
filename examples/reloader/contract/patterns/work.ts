/**
 * Steps that may be spent on patterns for one object. A step is a character of a name or an instruction of a program:
 * about 10 ns. Steps are counted in place of time, so that the answer does not depend on the machine.
 */
export class PatternWork {
  readonly #most: number;
  #spent = 0;

  /** @param most - default: no limit, for a single name. */
  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  spend(steps: number): void {
    this.#spent += steps;
  }

  get spent(): number {
    return this.#spent;
  }

  /** More was spent than is allowed: what was asked for last has no answer. */
  get isOver(): boolean {
    return this.#spent > this.#most;
  }
}
