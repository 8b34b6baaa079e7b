import type { ObjectKey } from 'chancery';

/**
 * Who names whom. A reconciler notes it before it looks the named object up, and the mapping of a change
 * of that object asks. Nothing is lost by a restart: every object is reconciled, and noted, again.
 */
export class References {
  readonly #named = new Map<ObjectKey, ObjectKey>();

  /** @param named - undefined when `by` names nothing, or is gone. */
  note(by: ObjectKey, named: ObjectKey | undefined): void {
    if (named === undefined) this.#named.delete(by);
    else this.#named.set(by, named);
  }

  /** Who names it. */
  to(named: ObjectKey): readonly ObjectKey[] {
    return [...this.#named].filter(([, each]) => each === named).map(([by]) => by);
  }
}
