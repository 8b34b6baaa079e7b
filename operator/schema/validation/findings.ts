import type { Work } from '../work.ts';
import type { FieldError } from './field-errors.ts';

/** Number of steps for one problem that is merged with others. */
const MERGED_STEPS = 10;

/**
 * The result of a validation: problems, each listed once, and the number of checks. If several alternatives
 * fail, the API server reports the alternative with the most checks.
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
   * Adds a problem. Its cost is the length of its message, which may quote large values and list many.
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
   * Adds the result for a part. `other` must not change afterwards: if this result has no problems
   * yet, it takes over the problems of `other` without copying them. Otherwise a deep object would
   * copy the problems of its deepest part at each level.
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
   * A result with the same number of checks and no problems, because an update may keep problems
   * that existed before.
   */
  tolerated(): Findings {
    const findings = new Findings(this.#work);
    findings.#checks = this.#checks;
    return findings;
  }
}
