/** What evaluations may cost: every step takes some of it, and none goes on when it is used up. */
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

  /** @returns false when there is not so much left. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  /** Evaluates an expression; what functions cost by their arguments is taken from here. */
  run<R>(evaluate: () => R): R {
    const outer = Budget.#running;
    Budget.#running = this;
    try {
      return evaluate();
    } finally {
      Budget.#running = outer;
    }
  }

  /** @throws RangeError when the expression that is being evaluated has not so much left. */
  static charge(steps: number): void {
    if (Budget.#running?.spend(steps) === false) throw new RangeError('too many steps');
  }
}
