import { HotLoops } from '../../controller/children/hot-loops.ts';
import { addFinalizer, removeFinalizer } from '../../controller/finalizers/finalizer.ts';
import { asCached } from '../../controller/finalizers/finalizing.ts';
import type { Outcome, ReconcileContext } from '../../controller/reconciler.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { byIdentity, type ObservedChild } from '../apply-children.ts';
import { decisionInputs } from '../decision-inputs.ts';
import type { RelatedObjects } from '../engine-options.ts';
import { manageAttachments, observedAttachments } from './attachments.ts';
import { planAttachments } from './check-answer.ts';
import { carries } from './decorated-changes.ts';
import type { DecoratorAnswer, DecoratorEngineOptions } from './engine-options.ts';
import { DecorationWriter } from './write-decoration.ts';

/** Milliseconds between two calls for an unfinished cleanup, unless something changes or the answer says otherwise. */
const FINALIZE_POLL_MS = 60_000;

/** Finalizers by which the garbage collector says that it deals with what belongs to an object. */
const COLLECTOR_FINALIZERS = ['foregroundDeletion', 'orphan'];

interface Seen {
  readonly observed: ReadonlyMap<string, ObservedChild>;
  readonly related: ReadonlyMap<string, RelatedObjects>;
}

/**
 * Decorates one object at a time, in this order: the finalizer is stored; attachments and related objects are read; the
 * function is called; status, then labels, annotations and the removal of the finalizer are written; the attachments are
 * brought to the answer. A write of the object that loses a race ends it before the attachments.
 */
export class Decorating {
  readonly #options: DecoratorEngineOptions;
  readonly #hotLoops = new HotLoops();
  readonly #writer: DecorationWriter;

  constructor(options: DecoratorEngineOptions) {
    this.#options = options;
    this.#writer = new DecorationWriter(options, this.#hotLoops);
  }

  /** @throws the first failure. */
  async decorate(cached: KubernetesObject, context: ReconcileContext): Promise<Outcome> {
    const { attachments: types, decorator, finalizer, selects } = this.#options;
    const object = await this.#withFinalizer(cached, context);
    if (object === undefined) return; // the watch will deliver the reason
    const isDeleted = object.metadata.deletionTimestamp !== undefined;
    const isSelected = selects?.(object) ?? true;
    const finalizing = finalizer?.isUsed === true && (isDeleted || !isSelected);
    const attachments = observedAttachments(object, types, decorator, context);
    const related = (await this.#options.related?.of(object, context)) ?? new Map();
    const observed = byIdentity(
      types.map(({ resource }) => resource),
      attachments,
    );
    const seen = { observed, related };
    const request = { object, attachments, related, finalizing, context };
    const answer = await this.#options.sync(request);
    const planned = await planAttachments(answer, object, this.#options);
    const isDone = finalizing && answer.finalized === true;
    const decoration = {
      answer,
      removed: isDone ? finalizer?.name : undefined,
      inputs: () => inputsOf(object, answer, seen),
    };
    const exists = await this.#writer.write(object, decoration, context);
    if (!exists) return;
    if (!isDeleted || this.#isFinalizedByUs(object)) {
      const write = { owner: object, ownerResource: this.#options.objects.resource, context };
      const inputs = decisionInputs(object, observed, related);
      const { writer } = this.#options;
      await manageAttachments(planned, observed, {
        writer,
        write,
        inputs,
        hotLoops: this.#hotLoops,
      });
    }
    return resultOf(answer, finalizing && !isDone);
  }

  /**
   * The object with its finalizer. Undefined when nothing is to be done for it: it is gone, or a finalizer was removed
   * that nothing uses any more.
   */
  async #withFinalizer(
    object: KubernetesObject,
    { client, signal }: ReconcileContext,
  ): Promise<KubernetesObject | undefined> {
    const { finalizer, objects } = this.#options;
    const isCarried = carries(object, finalizer);
    if (finalizer === undefined || isCarried === finalizer.isUsed) return object;
    const { resource } = objects;
    if (isCarried) {
      await removeFinalizer(client, resource, object, finalizer.name, { signal });
      return undefined;
    }
    if (object.metadata.deletionTimestamp !== undefined) return object; // it cannot be added any more
    const stored = await addFinalizer(client, resource, object, finalizer.name, { signal });
    return stored === undefined ? undefined : asCached(stored, object, objects);
  }

  /** False when the attachments of a deleted object are left to the garbage collector. */
  #isFinalizedByUs(object: KubernetesObject): boolean {
    const { finalizer } = this.#options;
    const { finalizers = [] } = object.metadata;
    const isCollected = finalizers.some((name) => COLLECTOR_FINALIZERS.includes(name));
    return finalizer?.isUsed === true && carries(object, finalizer) && !isCollected;
  }
}

function resultOf({ resyncAfterMs }: DecoratorAnswer, isUnfinished: boolean): Outcome {
  if (resyncAfterMs !== undefined && resyncAfterMs > 0) return { requeueAfterMs: resyncAfterMs };
  return { requeueAfterMs: isUnfinished ? FINALIZE_POLL_MS : undefined };
}

/** A digest of what others may have changed for a decision about the object, but for what the function itself states. */
function inputsOf(
  { metadata: { uid, generation, labels, annotations } }: KubernetesObject,
  answer: DecoratorAnswer,
  { observed, related }: Seen,
): string {
  const metadata = {
    ...{ uid, generation },
    labels: notStated(labels, answer.labels),
    annotations: notStated(annotations, answer.annotations),
  };
  return decisionInputs({ metadata } as KubernetesObject, observed, related)('');
}

function notStated(
  known: Readonly<Record<string, string>> | undefined,
  stated: DecoratorAnswer['labels'],
): Readonly<Record<string, string>> {
  const others = Object.entries(known ?? {}).filter(([key]) => !Object.hasOwn(stated ?? {}, key));
  return Object.fromEntries(others);
}
