import type { Work } from '../work.ts';
import type { FieldError } from './field-errors.ts';

/** Number of steps that are counted for each problem that is merged. */
const MERGED_STEPS = 10;

/**
 * The result of a validation: the problems without duplicates, and the number of checks as the API server
 * counts them. If all alternatives fail, the API server reports the problems of the alternative with the most
 * checks.
 */
export class Findings {
  #problems = new Map<string, FieldError>();
  readonly #work: Work;
  #checks = 0;

  constructor(work: Work) {
    this.#work = work;
  }

  get problems(): readonly FieldError[] {
    return [...this.#problems.values()];
  }

  get checks(): number {
    return this.#checks;
  }

  get isValid(): boolean {
    return this.#problems.size === 0;
  }

  /**
   * Adds a problem. Each character of the message costs one step, because a message may quote large values
   * and list many values.
   *
   * @throws TooMuchWork
   */
  add(problem: FieldError | undefined): void {
    if (problem === undefined) return;
    this.#work.spend(problem.message.length);
    const key = `${problem.field}: ${problem.message}`;
    if (!this.#problems.has(key)) this.#problems.set(key, problem);
  }

  /** Counts one more check. */
  count(): void {
    this.#checks++;
  }

  /**
   * Adds the result for a field or an item. `other` must not change afterwards: if this result has no
   * problems yet, it takes over the problems of `other` without copying them. In a deeply nested object, the
   * problems would otherwise be copied at each level.
   *
   * @throws TooMuchWork
   */
  merge(other: Findings): void {
    this.#checks += other.#checks;
    if (other.#problems.size === 0) return;
    if (this.#problems.size === 0) {
      this.#problems = other.#problems;
      return;
    }
    this.#work.spend(other.#problems.size * MERGED_STEPS);
    for (const [key, problem] of other.#problems) {
      if (!this.#problems.has(key)) this.#problems.set(key, problem);
    }
  }

  /**
   * The same result without its problems, for an unchanged value: an update may keep problems that existed
   * before.
   */
  tolerated(): Findings {
    const findings = new Findings(this.#work);
    findings.#checks = this.#checks;
    return findings;
  }
}
