import type { Work } from '../work.ts';
import type { FieldError } from './field-errors.ts';

/**
 * The result of a validation: problems, each listed once, and the number of checks. If several alternatives
 * fail, the API server reports the one with the most checks.
 */
export class Findings {
  readonly #problems = new Map<string, FieldError>();
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

  /** A message costs its length: it may quote large values, and list many. @throws TooMuchWork */
  add(problem: FieldError | undefined): void {
    if (problem === undefined) return;
    this.#work.spend(problem.message.length);
    this.#keep(problem);
  }

  /** Counts one more check. */
  count(): void {
    this.#checks++;
  }

  merge(other: Findings): void {
    for (const problem of other.#problems.values()) this.#keep(problem);
    this.#checks += other.#checks;
  }

  /** The same checks without the problems: an update may keep the problems that were there before. */
  tolerated(): Findings {
    const findings = new Findings(this.#work);
    findings.#checks = this.#checks;
    return findings;
  }

  #keep(problem: FieldError): void {
    const key = `${problem.field}: ${problem.message}`;
    if (!this.#problems.has(key)) this.#problems.set(key, problem);
  }
}
