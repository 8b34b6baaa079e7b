/**
 * A limit on the steps of evaluations. Every step reduces the budget, and the evaluation stops when the
 * budget is exhausted.
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

  /** @returns false when fewer than `steps` are left. */
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

  /** @throws RangeError when the budget of the running expression has fewer steps left than `steps`. */
  static charge(steps: number): void {
    if (Budget.#running?.spend(steps) === false) throw new RangeError('too many steps');
  }
}
