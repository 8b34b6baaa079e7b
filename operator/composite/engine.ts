import { type Controller, type ControllerOptions, controller } from '../controller/controller.ts';
import { addFinalizer, removeFinalizer } from '../controller/finalizers/finalizer.ts';
import { asCached } from '../controller/finalizers/finalizing.ts';
import { and, type Predicate } from '../controller/predicate.ts';
import type { Outcome, ReconcileContext } from '../controller/reconciler.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { indexedByOwner, indexedForAdoption, requireDistinct } from './child-types.ts';
import type { CompositeEngineOptions } from './engine-options.ts';
import { changedByOthers } from './parent-changes.ts';
import { ParentSync } from './parent-sync.ts';
import { SeenVersions } from './seen-versions.ts';

/**
 * A controller that brings the children of each parent to the answer of a function.
 *
 * @throws ConfigurationError `CONFIG` as `controller` does, and when `children` names a resource twice.
 */
export function compositeEngine(options: CompositeEngineOptions): Controller {
  const adopts = options.generateSelector || options.selector !== undefined;
  const owned = options.children.map(indexedByOwner);
  const types = adopts ? owned.map(indexedForAdoption) : owned;
  requireDistinct(types, options.name);
  const { resource: parentResource } = options.parent;
  const seen = new SeenVersions();
  const sync = new ParentSync({ ...options, children: types, parentResource, seen });
  const engine = new Engine(options, sync, seen);
  const { finalizer, controller: given } = options;
  const changed = and(
    seen.newParent,
    changedByOthers(finalizer?.name, options.failures?.condition === true),
  );
  const controllerOptions = { ...given, triggers: [seen.life, ...(given.triggers ?? [])] };
  const wired = engineWiring({
    ...options,
    children: types,
    controller: controllerOptions,
    childPredicate: seen.newChild,
  });
  const declared = controller({
    consistency: 'wait',
    ...given,
    ...wired,
    name: options.name,
    for: options.parent,
    predicate: given.predicate === undefined ? changed : and(changed, given.predicate),
    permissions: [
      ...(finalizer === undefined ? [] : [{ resource: parentResource, verbs: ['patch'] as const }]),
      ...(wired.permissions ?? []),
    ],
    reconcile: (object, context) => engine.reconcile(object, context),
    gone: (key) => engine.forget(key),
  });
  return withOwnFinalizer(declared, finalizer);
}

/** The controller of an engine, which adds and removes its finalizer by itself. */
export function withOwnFinalizer(
  declared: Controller,
  finalizer: CompositeEngineOptions['finalizer'],
): Controller {
  if (finalizer?.isUsed !== true) return declared;
  return Object.freeze({ ...declared, ownFinalizer: finalizer.name });
}

type Wiring = Pick<
  ControllerOptions<KubernetesObject>,
  'owns' | 'watches' | 'reads' | 'triggers' | 'permissions'
>;

type WiringParts = Pick<
  CompositeEngineOptions,
  'children' | 'related' | 'revisions' | 'controller'
> & {
  /** Drops changes of children. */
  readonly childPredicate?: Predicate;
};

/** What the controller of an engine watches and may write, besides its parents. */
export function engineWiring({
  children,
  related,
  revisions,
  controller: given,
  childPredicate,
}: WiringParts): Wiring {
  return {
    owns: [
      ...children.map(({ source }) => ({
        source,
        ...(childPredicate && { predicate: childPredicate }),
      })),
      ...(revisions?.wiring.owns ?? []),
      ...(given.owns ?? []),
    ],
    watches: [...(related?.wiring.watches ?? []), ...(given.watches ?? [])],
    reads: [
      ...(related?.wiring.reads ?? []),
      ...(revisions?.wiring.reads ?? []),
      ...(given.reads ?? []),
    ],
    triggers: [...(related?.wiring.triggers ?? []), ...(given.triggers ?? [])],
    permissions: [
      ...children.map(({ resource }) => ({ resource, verbs: ['delete'] as const })),
      ...(revisions?.wiring.permissions ?? []),
      ...(given.permissions ?? []),
    ],
  };
}

/** Finalizers by which the garbage collector says that it deals with the children of an object. */
const COLLECTOR_FINALIZERS = ['foregroundDeletion', 'orphan'];

/** Milliseconds between two calls for an unfinished cleanup, unless something changes or the answer says otherwise. */
const FINALIZE_POLL_MS = 60_000;

/** Decides what is due for a parent. */
class Engine {
  readonly #options: CompositeEngineOptions;
  readonly #sync: ParentSync;
  readonly #seen: SeenVersions;

  constructor(options: CompositeEngineOptions, sync: ParentSync, seen: SeenVersions) {
    this.#options = options;
    this.#sync = sync;
    this.#seen = seen;
  }

  async reconcile(object: KubernetesObject, context: ReconcileContext): Promise<Outcome> {
    try {
      return await this.#reconcile(object, context);
    } catch (error) {
      await this.#sync.failed(object, error, context);
      throw error;
    }
  }

  forget(key: ObjectKey): void {
    this.#options.related?.forget(key);
    this.#seen.forget(key);
  }

  async #reconcile(object: KubernetesObject, context: ReconcileContext): Promise<Outcome> {
    const isSelected = this.#options.selects?.(object) ?? true;
    const isOurs = (each: KubernetesObject): boolean => isSelected || this.#hasFinalizer(each);
    const parent = isOurs(object) ? await this.#withFinalizer(object, context) : undefined;
    if (parent === undefined || !isOurs(parent)) {
      if (!isSelected) this.forget(context.key);
      return;
    }
    const isDeleting = parent.metadata.deletionTimestamp !== undefined;
    const finalizing = this.#options.finalizer?.isUsed === true && (isDeleting || !isSelected);
    const brought = await this.#sync.bring(parent, context, {
      finalizing,
      managesChildren: !isDeleting || this.#mayManage(parent),
      decided: async (finalized) => {
        const isDone = finalizing && finalized;
        if (isDone) await this.#removeFinalizer(parent, context);
        return !isDeleting || (!isDone && this.#mayManage(parent));
      },
    });
    const { resyncAfterMs, finalized } = brought ?? { finalized: false };
    const pollMs = finalizing && !finalized ? FINALIZE_POLL_MS : undefined;
    return { requeueAfterMs: resyncAfterMs ?? pollMs };
  }

  /** The parent with the finalizer if there is a function for it, else without. Undefined when it is gone. */
  async #withFinalizer(
    parent: KubernetesObject,
    context: ReconcileContext,
  ): Promise<KubernetesObject | undefined> {
    const { finalizer, parent: source } = this.#options;
    if (finalizer === undefined || this.#hasFinalizer(parent) === finalizer.isUsed) return parent;
    const { name } = finalizer;
    if (finalizer.isUsed) {
      if (parent.metadata.deletionTimestamp !== undefined) return parent;
      const stored = await addFinalizer(context.client, source.resource, parent, name);
      if (stored === undefined) return undefined;
      return asCached(stored, parent, source);
    }
    await this.#removeFinalizer(parent, context);
    const finalizers = parent.metadata.finalizers?.filter((each) => each !== name) ?? [];
    return { ...parent, metadata: { ...parent.metadata, finalizers } };
  }

  async #removeFinalizer(parent: KubernetesObject, { client }: ReconcileContext): Promise<void> {
    const { finalizer, parent: source } = this.#options;
    if (finalizer === undefined) return;
    await removeFinalizer(client, source.resource, parent, finalizer.name);
  }

  #hasFinalizer({ metadata: { finalizers } }: KubernetesObject): boolean {
    const { finalizer } = this.#options;
    return finalizer !== undefined && finalizers?.includes(finalizer.name) === true;
  }

  /** For a parent that is being deleted: its children are ours as long as we finalize it. */
  #mayManage(parent: KubernetesObject): boolean {
    const { finalizers = [] } = parent.metadata;
    const isCollected = finalizers.some((each) => COLLECTOR_FINALIZERS.includes(each));
    return this.#options.finalizer?.isUsed === true && this.#hasFinalizer(parent) && !isCollected;
  }
}
