import type { FieldError } from '../failures/invalid.ts';

/**
 * What a validation found: problems, each said once, and how many checks were made. Of several
 * alternatives that all fail, the server tells of the one in which most checks were made.
 */
export class Findings {
  readonly #problems: FieldError[] = [];
  #checks = 0;

  get problems(): readonly FieldError[] {
    return this.#problems;
  }

  get checks(): number {
    return this.#checks;
  }

  get isValid(): boolean {
    return this.#problems.length === 0;
  }

  add(problem: FieldError | undefined): void {
    if (problem === undefined) return;
    const known = this.#problems.some(
      ({ field, message }) => field === problem.field && message === problem.message,
    );
    if (!known) this.#problems.push(problem);
  }

  /** One more check was made. */
  count(): void {
    this.#checks++;
  }

  merge(other: Findings): void {
    for (const problem of other.#problems) this.add(problem);
    this.#checks += other.#checks;
  }

  /** The same checks without the problems: they were there before, and may stay. */
  tolerated(): Findings {
    const findings = new Findings();
    findings.#checks = this.#checks;
    return findings;
  }
}
