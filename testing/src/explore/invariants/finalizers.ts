import type { Controller, KubernetesObject } from 'chancery';
import type { AttemptFacts } from '../scenario/attempt-facts.ts';
import type { LoggedWrite } from '../scenario/scenario.ts';
import { called, type Violation } from './violation.ts';

/** Finalizers of Kubernetes itself. The controllers of Kubernetes remove them. */
const OF_THE_CLUSTER = /^(?:foregroundDeletion|orphan|kubernetes|kubernetes\.io\/.*)$/;

/**
 * No lost finalizer: the operator removes only its own finalizers. A finalizer that a controller
 * declares is removed only after a successful cleanup of the object.
 */
export class Finalizers {
  /** Finalizers that the operator has added to objects, or that its controllers declare. */
  readonly own: Set<string>;
  /** The controllers whose `finalize` must succeed before their finalizer is removed; keyed by finalizer. */
  readonly #cleaners = new Map<string, string>();
  /**
   * Contains `controller key` for each object whose cleanup has returned, until the attempt ends.
   * The finalizer is removed during this time.
   */
  readonly #cleaned = new Set<string>();

  constructor(known: ReadonlySet<string> = new Set()) {
    this.own = new Set(known);
  }

  declared(controllers: readonly Controller[]): void {
    for (const { name, finalizer, ownFinalizer } of controllers) {
      if (ownFinalizer !== undefined) this.own.add(ownFinalizer);
      if (finalizer === undefined) continue;
      this.own.add(finalizer.name);
      // With this option, the toolkit gives up a cleanup that fails for too long.
      if (finalizer.forceFinalizeAfterMs === undefined) this.#cleaners.set(finalizer.name, name);
    }
  }

  killed(): void {
    this.#cleaned.clear();
  }

  finalized({ controller, key }: AttemptFacts): void {
    this.#cleaned.add(`${controller} ${key}`);
  }

  finished({ controller, key }: AttemptFacts): void {
    this.#cleaned.delete(`${controller} ${key}`);
  }

  wrote(write: LoggedWrite): Violation | undefined {
    const { by, verb, object, before } = write;
    if (by !== 'operator') return undefined;
    const had = finalizersOf(before);
    const has = verb === 'delete' ? [] : finalizersOf(object);
    for (const name of has) if (!had.includes(name)) this.own.add(name);
    const removed = had.filter((name) => !has.includes(name) && !OF_THE_CLUSTER.test(name));
    const stranger = removed.find((name) => !this.own.has(name));
    if (stranger !== undefined) {
      return {
        invariant: 'no finalizer is lost',
        message: `the operator removed the finalizer ${stranger} of ${called(object)}, which is not its own`,
      };
    }
    if (before?.metadata.deletionTimestamp === undefined) return undefined;
    const undone = removed.find((name) => this.#isUndone(name, object));
    if (undone === undefined) return undefined;
    return {
      invariant: 'no finalizer is lost',
      message: `the finalizer ${undone} of ${called(object)} was removed before its cleanup was done`,
    };
  }

  #isUndone(finalizer: string, { metadata: { namespace, name } }: KubernetesObject): boolean {
    const controller = this.#cleaners.get(finalizer);
    if (controller === undefined) return false;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    return !this.#cleaned.has(`${controller} ${key}`);
  }
}

function finalizersOf(object: KubernetesObject | undefined): readonly string[] {
  return object?.metadata.finalizers ?? [];
}
