/** What speaks against a release, and the check that says so. */

/** Every check, in the order in which refusals are told. */
export const CHECKS = [
  'manifests',
  'versions',
  'changelog',
  'checkout',
  'licences',
  'pins',
  'api',
  'generated',
  'packages',
  'sbom',
  'registry',
  'images',
  'chart',
  'bundle',
  'publishing',
] as const;

export type Check = (typeof CHECKS)[number];

export interface Refusal {
  readonly check: Check;
  /** One line. */
  readonly problem: string;
}

/**
 * What speaks against a release so far. A check that fails is itself a refusal, so that the others are
 * made, too, and the list is whole.
 */
export class Refusals {
  readonly #all: Refusal[] = [];

  add(check: Check, problems: readonly string[]): void {
    for (const problem of problems) {
      this.#all.push({ check, problem: problem.trim().replaceAll(/\s*\n\s*/g, ' | ') });
    }
  }

  /** What `made` returns; `otherwise` when it throws. */
  async guard<T>(check: Check, otherwise: T, make: () => T | Promise<T>): Promise<T> {
    try {
      return await make();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.add(check, [`could not be checked: ${reason}`]);
      return otherwise;
    }
  }

  /** In the order of the checks. */
  get all(): readonly Refusal[] {
    return CHECKS.flatMap((check) => this.#all.filter((refusal) => refusal.check === check));
  }
}
