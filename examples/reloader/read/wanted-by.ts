/** The resources that workloads want, counted: what nothing wants any more can be forgotten. */
export class WantedBy {
  readonly #unwanted: (resource: string) => void;
  readonly #byOwner = new Map<string, ReadonlySet<string>>();
  readonly #counts = new Map<string, number>();

  /** @param unwanted - called when the last workload does not want a resource any more. */
  constructor(unwanted: (resource: string) => void) {
    this.#unwanted = unwanted;
  }

  /** Replaces what `owner` wants; an empty set for a workload that is gone. */
  set(owner: string, resources: ReadonlySet<string>): void {
    const before = this.#byOwner.get(owner) ?? new Set<string>();
    for (const resource of resources) {
      if (!before.has(resource)) this.#counts.set(resource, (this.#counts.get(resource) ?? 0) + 1);
    }
    if (resources.size === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, resources);
    for (const resource of before) if (!resources.has(resource)) this.#release(resource);
  }

  #release(resource: string): void {
    const count = (this.#counts.get(resource) ?? 1) - 1;
    if (count > 0) {
      this.#counts.set(resource, count);
      return;
    }
    this.#counts.delete(resource);
    this.#unwanted(resource);
  }
}
