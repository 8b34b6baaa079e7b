/** What evaluations may cost: every step takes some of it, and none goes on when it is used up. */
export class Budget {
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
}
