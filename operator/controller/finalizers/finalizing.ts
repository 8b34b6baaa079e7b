import type { Client } from '../../client/client.ts';
import type { Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import { deepCopy } from '../../core/json/deep-json.ts';
import { dropManagedFields, transformedEntry } from '../../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../../model/object.ts';
import { matcherOf } from '../../model/selection.ts';
import { deepFreeze } from '../../store/freeze.ts';
import type { Controller } from '../controller.ts';
import type { ReconcileContext } from '../reconciler.ts';
import type { Source } from '../source.ts';
import type { Finalizer } from './finalizer.ts';
import { addFinalizer, removeFinalizer } from './finalizer.ts';

/** The facts about an attempt that are needed to finalize its object. */
interface FinalizingAttempt {
  readonly key: ObjectKey;
  readonly object: KubernetesObject | undefined;
  /** False if the object has the finalizer, but the source does not select it. Default true. */
  readonly isSelected?: boolean;
  /** Creates the context for the object in its current state, or for a key without an object. */
  readonly contextFor: (object: KubernetesObject | undefined) => ReconcileContext;
  /**
   * The client that removes the finalizer. It is not the client of the attempt, which aborts with the attempt
   * and reports its writes to the key policies.
   */
  readonly client: Client;
  /** Aborts when the process stops. The signal of the attempt may already have timed out. */
  readonly stop: AbortSignal;
}

/** Maximum number of finalized objects that are remembered until the cache no longer has them. */
const MAX_FINALIZED = 10_000;

/**
 * Calls a controller's reconciler, its finalizer or `gone`, in this order:
 *
 * - The finalizer is stored, and then the reconciler is called.
 * - Once the object is being deleted, `finalize` is called instead.
 * - When `finalize` has returned, the finalizer is removed. After that nothing is called for the object,
 *   because a reconcile would create again what was cleaned up.
 *
 * An object that has the finalizer but is not selected by the source is finalized, and never reconciled.
 *
 * `gone` is called for a key without an object. If no finalizer is declared, the reconciler is called for
 * every object.
 */
export class Finalizing {
  readonly #controller: Controller;
  readonly #match: ReturnType<typeof matcherOf>;
  readonly #clock: Clock;
  /**
   * The uid of the last object of each key whose finalizer was removed, because the cache may still contain
   * it.
   */
  readonly #finalized = new Map<ObjectKey, string | undefined>();

  constructor({ controller, clock }: { readonly controller: Controller; readonly clock: Clock }) {
    const { labelSelector, fieldSelector } = controller.for;
    this.#match = matcherOf({ labelSelector, fieldSelector });
    this.#controller = controller;
    this.#clock = clock;
  }

  /** True when the next attempt for `object` calls `finalize` for it. */
  isDue(object: KubernetesObject | undefined): boolean {
    const { finalizer } = this.#controller;
    return (
      finalizer !== undefined &&
      object?.metadata.deletionTimestamp !== undefined &&
      object.metadata.finalizers?.includes(finalizer.name) === true
    );
  }

  /**
   * True for an object whose finalizer was removed by this process. It stays true until the key is reconciled
   * without an object.
   */
  hasFinalized(key: ObjectKey, uid: string | undefined): boolean {
    return this.#finalized.has(key) && this.#finalized.get(key) === uid;
  }

  /** Milliseconds until a failing `finalize` is abandoned; undefined if it never is. */
  patienceMs(object: KubernetesObject | undefined): number | undefined {
    const limitMs = this.#controller.finalizer?.forceFinalizeAfterMs;
    const deletedAt = Date.parse(object?.metadata.deletionTimestamp ?? '');
    if (limitMs === undefined || Number.isNaN(deletedAt)) return undefined;
    return Math.max(0, deletedAt + limitMs - this.#clock.now());
  }

  /**
   * @returns the result of the reconciler, `finalize` or `gone`.
   * @throws the error of the reconciler, `finalize`, `gone` or a write of the finalizer.
   */
  async run({
    key,
    object,
    isSelected = true,
    contextFor,
    ...rest
  }: FinalizingAttempt): Promise<unknown> {
    const controller = this.#controller;
    const { finalizer } = controller;
    if (object === undefined) {
      this.#finalized.delete(key);
      return controller.gone?.(key, contextFor(undefined));
    }
    const { deletionTimestamp, finalizers, uid } = object.metadata;
    if (!isSelected && deletionTimestamp === undefined) return undefined;
    if (finalizer === undefined) return controller.reconcile(object, contextFor(object));
    const hasFinalizer = finalizers?.includes(finalizer.name) === true;
    if (deletionTimestamp !== undefined) {
      if (!hasFinalizer || this.hasFinalized(key, uid)) return undefined;
      return this.#finalize(finalizer, { key, object, contextFor, ...rest });
    }
    if (hasFinalizer) return controller.reconcile(object, contextFor(object));
    const { client, signal } = contextFor(object);
    const { resource } = controller.for;
    const selecting = this.#selecting(client);
    const stored = await addFinalizer(selecting, resource, object, finalizer.name, { signal });
    if (stored === undefined) return undefined; // the watch will deliver the reason
    const seen = asCached(stored, object, controller.for);
    return controller.reconcile(seen, contextFor(seen));
  }

  /**
   * Wraps `client`: `find` treats an object that the source no longer selects as absent, so that it gets no
   * finalizer. When an object leaves the selector, the watch reports its previous state. That state has no
   * finalizer, so the object would be treated as gone.
   */
  #selecting(client: Client): Pick<Client, 'find' | 'patch'> {
    return {
      patch: (...call) => client.patch(...call),
      find: async (...call) => {
        const live = await client.find(...call);
        return live === undefined || typeof this.#match(live) === 'object' ? undefined : live;
      },
    };
  }

  async #finalize(
    finalizer: Finalizer,
    {
      key,
      object,
      contextFor,
      client,
      stop,
    }: FinalizingAttempt & { readonly object: KubernetesObject },
  ): Promise<unknown> {
    const context = contextFor(object);
    try {
      const unfinished: unknown = await finalizer.finalize(object, context);
      if (asksForMore(unfinished)) {
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
    await removeFinalizer(client, this.#controller.for.resource, object, finalizer.name, {
      signal: stop,
    });
    this.#remember(key, object.metadata.uid);
    return undefined;
  }

  #remember(key: ObjectKey, uid: string | undefined): void {
    this.#finalized.set(key, uid);
    const [oldest] = this.#finalized.keys();
    if (this.#finalized.size > MAX_FINALIZED && oldest !== undefined) {
      this.#finalized.delete(oldest);
    }
  }
}

/**
 * The fields with which a cleanup requests another call, including misspelt ones. Misspelt fields make the
 * attempt fail.
 */
const ASKS_FOR_MORE = /^(?:requeue|refusal$)/i;

/**
 * True if a cleanup requests another call. Any other value, for example the answer of a request, means that
 * the cleanup is complete.
 */
function asksForMore(returned: unknown): boolean {
  if (typeof returned !== 'object' || returned === null) return false;
  return Object.keys(returned).some((name) => ASKS_FOR_MORE.test(name));
}

/**
 * An object from an answer of the API server, in the same format as in the cache and in a store.
 *
 * @throws OperatorError `USER_CODE` when the transform fails. A store throws the same error. The message
 *   contains no data of the object.
 */
export function asCached(
  stored: KubernetesObject,
  cached: KubernetesObject,
  { metadataOnly, transform = dropManagedFields }: Source,
): KubernetesObject {
  const own = deepCopy(stored); // a transform may change its argument in place
  const received = metadataOnly === true ? { ...cached, metadata: own.metadata } : own;
  const seen = transformedEntry(received, transform).object;
  deepFreeze(seen);
  return seen;
}
