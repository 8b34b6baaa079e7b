import { type Controller, keyOf, messageOf, type ObjectKey, type Outcome } from 'chancery';
import type { ControllerFailure } from '../controller-parts.ts';
import { refusal } from './refused.ts';
import type { Trouble } from './trouble.ts';

/** Reasons that concern the controller as a whole, and not only one parent. */
const OF_CONTROLLER = ['Forbidden', 'HotLoop'];

/**
 * Maximum number of failing parents that are remembered, each with its reason. Further failing
 * parents are only counted in the queues.
 */
const MAX_REMEMBERED = 1_000;

interface Failing {
  readonly parent: string;
  readonly reason: string;
  readonly message: string;
}

/** The parents of one controller whose last reconcile failed, with the reasons. */
export class FailingParents {
  readonly #failing = new Map<string, Failing>();
  /** The parents that have failed in the current attempt. */
  readonly #failedNow = new Set<string>();
  readonly #changed: () => void;

  /** @param changed - called when a parent fails or recovers. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#failing.size;
  }

  failed({ parent, reason, error }: ControllerFailure): void {
    const key = keyOf(parent);
    const id = `${parent.kind} ${key}`;
    this.#failedNow.add(id);
    if (this.#failing.size >= MAX_REMEMBERED && !this.#failing.has(id)) return;
    const missing = refusal(error);
    this.#failing.set(id, {
      parent: id,
      reason: missing === undefined ? reason : 'Forbidden',
      message: missing ?? messageOf(error),
    });
    this.#changed();
  }

  /**
   * Wraps a controller so that a successful reconcile removes its parent from the failing parents.
   */
  observing(of: Controller): Controller {
    const { kind } = of.for.resource;
    const observed = async (
      key: ObjectKey,
      attempt: () => Outcome | Promise<Outcome>,
    ): Promise<Outcome> => {
      const id = `${kind} ${key}`;
      this.#failedNow.delete(id);
      const outcome = await attempt();
      if (!this.#failedNow.delete(id) && this.#failing.delete(id)) this.#changed();
      return outcome;
    };
    return Object.freeze<Controller>({
      ...of,
      reconcile: (object, context) => observed(context.key, () => of.reconcile(object, context)),
      gone: (key, context) => observed(key, () => of.gone?.(key, context)),
    });
  }

  /** The problem that concerns the controller as a whole. Undefined when there is none. */
  trouble(): Trouble | undefined {
    for (const reason of OF_CONTROLLER) {
      for (const { reason: known, message, parent } of this.#failing.values()) {
        if (known !== reason) continue;
        return { reason, message: `${parent}: ${message}`, ends: false };
      }
    }
    return undefined;
  }
}
