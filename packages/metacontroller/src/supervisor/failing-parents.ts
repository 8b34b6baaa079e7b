import { type Controller, keyOf, messageOf } from 'chancery';
import type { ControllerFailure } from '../controller-parts.ts';
import { refusal } from './refused.ts';
import type { Trouble } from './trouble.ts';

/** Reasons that say something about the controller and not only about one parent. */
const OF_CONTROLLER = ['Forbidden', 'HotLoop'];

/** Parents that are remembered with their reasons. More are only counted by the queues. */
const MAX_REMEMBERED = 1_000;

interface Failing {
  readonly parent: string;
  readonly reason: string;
  readonly message: string;
}

/** The parents of one controller whose last reconcile failed, and why. */
export class FailingParents {
  readonly #failing = new Map<string, Failing>();
  /** Those that have failed in the attempt that is under way. */
  readonly #failedNow = new Set<string>();
  readonly #changed: () => void;

  /** @param changed - called when a parent has failed or has recovered. */
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

  /** `of`, so that a parent whose reconcile succeeds is no longer failing. */
  observing(of: Controller): Controller {
    const { kind } = of.for.resource;
    return Object.freeze({
      ...of,
      reconcile: async (...call: Parameters<Controller['reconcile']>) => {
        const id = `${kind} ${call[0]}`;
        this.#failedNow.delete(id);
        const result = await of.reconcile(...call);
        if (!this.#failedNow.delete(id) && this.#failing.delete(id)) this.#changed();
        return result;
      },
    });
  }

  /** What concerns the controller as a whole. Undefined when nothing does. */
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
