/**
 * The steps that evaluations may take. Every step takes from the budget, and evaluation stops when
 * it is exhausted.
 */
export class Budget {
  static #running: Budget | undefined;
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  get exhausted(): boolean {
    return this.#left < 0;
  }

  get left(): number {
    return Math.max(this.#left, 0);
  }

  /** @returns false when the budget has fewer steps left. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  /** Evaluates an expression. Functions called by the expression charge this budget. */
  run<R>(evaluate: () => R): R {
    const outer = Budget.#running;
    Budget.#running = this;
    try {
      return evaluate();
    } finally {
      Budget.#running = outer;
    }
  }

  /** @throws RangeError when the budget of the running expression has fewer steps left. */
  static charge(steps: number): void {
    if (Budget.#running?.spend(steps) === false) throw new RangeError('too many steps');
  }
}
