import { HeldObject, type HeldObjectKeeper } from '../model/held-object.ts';
import type { KubernetesObject } from '../model/object.ts';
import { deepFreeze } from './freeze.ts';

/** What becomes of objects when they enter a cache. */
export class Keeping {
  /** It takes its time over what was parsed. */
  readonly freezes: boolean;
  readonly #keeper: HeldObjectKeeper;

  /** @param unreadable - told once of each object that somebody tries to read in vain. */
  constructor(freeze: boolean, unreadable: HeldObjectKeeper['unreadable']) {
    this.freezes = freeze;
    this.#keeper = {
      prepare: (object) => {
        if (freeze) deepFreeze(object);
      },
      unreadable,
    };
  }

  /** What is held is frozen when it is read. */
  keep(object: KubernetesObject): void {
    if (object instanceof HeldObject) object.keptBy(this.#keeper);
    else if (this.freezes) deepFreeze(object);
  }
}
