import type { Client } from '../../client/client.ts';
import type { Clock } from '../../core/clock.ts';
import { deepCopy } from '../../core/deep-json.ts';
import { OperatorError } from '../../core/errors.ts';
import { dropManagedFields, transformedEntry } from '../../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import { deepFreeze } from '../../store/freeze.ts';
import type { Controller } from '../controller.ts';
import { AWAIT_CHANGE, type ReconcileContext } from '../reconciler.ts';
import type { Source } from '../source.ts';
import type { Finalizer, Unfinished } from './finalizer.ts';
import { addFinalizer, removeFinalizer } from './finalizer.ts';

/** One attempt, as the order of finalizers needs to know it. */
interface FinalizingAttempt {
  readonly key: ObjectKey;
  readonly object: KubernetesObject | undefined;
  /** What the reconciler is given for the object as it is by then. */
  readonly contextFor: (object: KubernetesObject | undefined) => ReconcileContext;
  /** Ends with the process; that of the attempt may have timed out. */
  readonly stop: AbortSignal;
}

/** Objects that are finalized, until they are seen to be gone. */
const MAX_FINALIZED = 10_000;

/**
 * Calls a controller's reconciler, or its finalizer. In this order: the finalizer is stored, the
 * reconciler is called; the object is to be deleted, `finalize` is called instead, and when that has
 * returned the finalizer is removed. After that nothing is called for the object: what it left has been
 * cleaned up, and would be brought back. Without a declared finalizer the reconciler is called whatever
 * becomes of the object.
 */
export class Finalizing {
  readonly #controller: Controller;
  /** Past all that remembers writes: the answer to the last removal shows an object that is gone. */
  readonly #client: Client;
  readonly #clock: Clock;
  /** By uid. The cache may still show an object whose finalizer is removed. */
  readonly #finalized = new Map<ObjectKey, string | undefined>();

  constructor({
    controller,
    client,
    clock,
  }: {
    readonly controller: Controller;
    readonly client: Client;
    readonly clock: Clock;
  }) {
    this.#controller = controller;
    this.#client = client;
    this.#clock = clock;
  }

  /** True when an attempt at `object` is to finalize it. */
  isDue(object: KubernetesObject | undefined): boolean {
    const { finalizer } = this.#controller;
    return (
      finalizer !== undefined &&
      object?.metadata.deletionTimestamp !== undefined &&
      object.metadata.finalizers?.includes(finalizer.name) === true
    );
  }

  /** When patience with a failing `finalize` ends, in milliseconds from now; undefined for never. */
  patienceMs(object: KubernetesObject | undefined): number | undefined {
    const limitMs = this.#controller.finalizer?.forceFinalizeAfterMs;
    const deletedAt = Date.parse(object?.metadata.deletionTimestamp ?? '');
    if (limitMs === undefined || Number.isNaN(deletedAt)) return undefined;
    return Math.max(0, deletedAt + limitMs - this.#clock.now());
  }

  /** @returns what the reconciler did. @throws what it, `finalize` or a write of the finalizer threw. */
  async run({ key, object, contextFor, stop }: FinalizingAttempt): Promise<unknown> {
    const controller = this.#controller;
    const { finalizer } = controller;
    if (object === undefined) this.#finalized.delete(key);
    if (finalizer === undefined || object === undefined) {
      return controller.reconcile(key, object, contextFor(object));
    }
    const { deletionTimestamp, finalizers, uid } = object.metadata;
    const hasFinalizer = finalizers?.includes(finalizer.name) === true;
    if (deletionTimestamp !== undefined) {
      if (!hasFinalizer || this.#isFinalized(key, uid)) return AWAIT_CHANGE;
      return this.#finalize(finalizer, { key, object, contextFor, stop });
    }
    if (hasFinalizer) return controller.reconcile(key, object, contextFor(object));
    const { client, signal } = contextFor(object);
    const { resource } = controller.for;
    const stored = await addFinalizer(client, resource, object, finalizer.name, { signal });
    if (stored === undefined) return AWAIT_CHANGE; // the cache will hear why
    const seen = asCached(stored, object, controller.for);
    return controller.reconcile(key, seen, contextFor(seen));
  }

  async #finalize(
    finalizer: Finalizer,
    { key, object, contextFor, stop }: FinalizingAttempt & { readonly object: KubernetesObject },
  ): Promise<unknown> {
    const context = contextFor(object);
    try {
      const unfinished: unknown = await finalizer.finalize(object, context);
      if (isUnfinished(unfinished)) {
        if (this.patienceMs(object) !== 0) return unfinished;
        throw new OperatorError('the cleanup is still not finished', {
          code: 'USER_CODE',
          layer: 'user-code',
        });
      }
    } catch (error) {
      if (stop.aborted || this.patienceMs(object) !== 0) throw error;
      const { name, forceFinalizeAfterMs } = finalizer;
      context.log.error(
        { err: error, finalizer: name, forceFinalizeAfterMs },
        'cleanup has failed for too long, the finalizer is removed without it: look for what is left',
      );
      context.event(
        'Warning',
        'FinalizerForced',
        `cleanup did not succeed in ${forceFinalizeAfterMs} ms; removed ${name} without it`,
        'Finalize',
      );
    }
    await removeFinalizer(this.#client, this.#controller.for.resource, object, finalizer.name, {
      signal: stop,
    });
    this.#remember(key, object.metadata.uid);
    return AWAIT_CHANGE;
  }

  #isFinalized(key: ObjectKey, uid: string | undefined): boolean {
    return this.#finalized.has(key) && this.#finalized.get(key) === uid;
  }

  #remember(key: ObjectKey, uid: string | undefined): void {
    this.#finalized.set(key, uid);
    const [oldest] = this.#finalized.keys();
    if (this.#finalized.size > MAX_FINALIZED && oldest !== undefined) {
      this.#finalized.delete(oldest);
    }
  }
}

/** Anything else says that nothing is left, for `AWAIT_CHANGE` is returned by habit. */
function isUnfinished(returned: unknown): returned is Unfinished {
  return typeof returned === 'object' && returned !== null && 'requeueAfterMs' in returned;
}

/**
 * An answer, as the source would have cached it and a store would show it.
 *
 * @throws OperatorError `USER_CODE` when the transform fails, as a store throws it; no word of the object.
 */
function asCached(
  stored: KubernetesObject,
  cached: KubernetesObject,
  { metadataOnly, transform = dropManagedFields }: Source,
): KubernetesObject {
  const own = deepCopy(stored); // a transform may change it in place
  const received = metadataOnly === true ? { ...cached, metadata: own.metadata } : own;
  const seen = transformedEntry(received, transform).object;
  deepFreeze(seen);
  return seen;
}
