import type { ControlledWrites } from '../controller/access-declaration.ts';
import { DECORATED_BY } from '../controller/children/existing-child.ts';
import { withControlledWrites } from '../controller/controlled-writes.ts';
import { type Controller, controller, type Permission } from '../controller/controller.ts';
import { TerminalError } from '../controller/errors.ts';
import {
  addFinalizer,
  removeFinalizer,
  type Unfinished,
} from '../controller/finalizers/finalizer.ts';
import { asCached } from '../controller/finalizers/finalizing.ts';
import { and } from '../controller/predicate.ts';
import type { Outcome, ReconcileContext } from '../controller/reconciler.ts';
import { OperatorError } from '../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { indexedTypes } from './child-types.ts';
import type {
  AnyEngineOptions,
  CompositeEngineOptions,
  DecoratorEngineOptions,
} from './engine-options.ts';
import { carries, isConcerned, visibleChanges } from './object-changes.ts';
import { type Brought, FINALIZE_POLL_MS, ParentSync } from './parent-sync.ts';
import { SeenVersions } from './seen-versions.ts';

/**
 * The controller of a composite or a decorator. It makes the children or attachments of each parent match the
 * answer of a function.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `controller`, and when `children` contains a
 *   resource twice.
 */
export function engine(options: CompositeEngineOptions | DecoratorEngineOptions): Controller {
  const given: AnyEngineOptions = options;
  const { name, parent, finalizer, related, revisions, controller: rest, deleted } = given;
  const adopts = given.generateSelector === true || given.selector !== undefined;
  const children = indexedTypes(given.children, { controller: name, adopts });
  const indexed = { ...given, children };
  const seen = new SeenVersions();
  const running = new Engine(indexed, seen);
  const changed = and(seen.newParent, visibleChanges(given));
  const isCleanup = deleted === 'cleanup' && finalizer !== undefined;
  const permissions: readonly Permission[] = [
    ...permissionsOf(given),
    ...children.map(({ resource }) => ({ resource, verbs: ['delete'] as const })),
    ...(revisions?.wiring.permissions ?? []),
  ];
  const result = controller({
    consistency: 'wait',
    ...rest,
    name,
    for: parent,
    predicate: rest.predicate === undefined ? changed : and(changed, rest.predicate),
    owns: [
      ...children.map(({ source }) => ({ source, predicate: seen.newChild })),
      ...(rest.owns ?? []),
    ],
    watches: [...(related?.wiring.watches ?? []), ...(rest.watches ?? [])],
    reads: [...(revisions?.wiring.reads ?? []), ...(rest.reads ?? [])],
    triggers: [...(related?.wiring.triggers ?? []), seen.life, ...(rest.triggers ?? [])],
    permissions: [...permissions, ...(rest.permissions ?? [])],
    ...(isCleanup && {
      finalizer: {
        name: finalizer.name,
        finalize: (object: KubernetesObject, context: ReconcileContext) =>
          running.finalize(object, context),
      },
    }),
    reconcile: (object, context) => running.reconcile(object, context),
    gone: (key) => running.forget(key),
  });
  const known = withControlledWrites(result, writesOf(indexed, permissions));
  if (isCleanup || finalizer?.isUsed !== true) return known;
  return Object.freeze({ ...known, ownFinalizer: finalizer.name });
}

/**
 * What the engine writes: children of parents, revisions of parents, and the engine's fields in the parents.
 */
function writesOf(
  { parent: { resource }, children, ...options }: AnyEngineOptions,
  permissions: readonly Permission[],
): ControlledWrites {
  const { decorator, finalizer, revisions, hasStatusSubresource, selector } = options;
  const adopts = options.generateSelector === true || selector !== undefined;
  return {
    children: [
      ...children.map((type) => ({
        resource: type.resource,
        parents: [resource],
        ...(adopts && { adopts: 'owners' as const }),
        ...(decorator !== undefined && { annotations: { [DECORATED_BY]: decorator } }),
      })),
      ...(revisions?.stored ?? []),
    ],
    parents: [
      {
        resource,
        finalizers: finalizer === undefined ? [] : [finalizer.name],
        texts: decorator !== undefined,
        status: decorator !== undefined && hasStatusSubresource !== true,
      },
    ],
    permissions,
  };
}

/** The permissions on parents that the engine needs, in addition to the permissions of every controller. */
function permissionsOf({
  parent: { resource },
  decorator,
  hasStatusSubresource = false,
  finalizer,
  deleted,
}: AnyEngineOptions): readonly Permission[] {
  const own = { resource, verbs: ['patch'] } as const;
  const isWritten = decorator !== undefined || (finalizer !== undefined && deleted !== 'cleanup');
  return [
    ...(isWritten ? [own] : []),
    ...(hasStatusSubresource ? [{ ...own, subresource: 'status' }] : []),
  ];
}

/** If an object has one of these finalizers, the garbage collector handles its children. */
const COLLECTOR_FINALIZERS = ['foregroundDeletion', 'orphan'];

/** Implements `reconcile` and `finalize` of the controller that reconciles the parents. */
class Engine {
  readonly #options: AnyEngineOptions;
  readonly #sync: ParentSync;
  readonly #seen: SeenVersions;

  constructor(options: AnyEngineOptions, seen: SeenVersions) {
    this.#options = options;
    this.#sync = new ParentSync(options, seen);
    this.#seen = seen;
  }

  async reconcile(object: KubernetesObject, context: ReconcileContext): Promise<Outcome> {
    if (!isConcerned(object, this.#options)) return this.forget(context.key);
    const isDeleting = object.metadata.deletionTimestamp !== undefined;
    if (isDeleting && this.#options.deleted === 'cleanup') return;
    try {
      const brought = await this.#bring(object, context);
      return brought && { requeueAfterMs: brought.requeueAfterMs };
    } catch (error) {
      const { finalizer } = this.#options;
      const isCleanup = this.#isFinalized(object) && carries(object, finalizer);
      const thrown = isCleanup ? retried(error) : error;
      await this.#sync.failed(object, { error, thrown }, context);
      throw thrown;
    }
  }

  /**
   * The finalizer function of the controller, if the controller adds and removes the finalizer itself. This
   * method also reports failures.
   */
  async finalize(
    object: KubernetesObject,
    context: ReconcileContext,
  ): Promise<Unfinished | undefined> {
    const brought = await this.#bring(object, context);
    if (brought?.isFinalized === true) return undefined;
    return { requeueAfterMs: brought?.requeueAfterMs ?? FINALIZE_POLL_MS };
  }

  forget(key: ObjectKey): void {
    this.#options.related?.forget(key);
    this.#seen.forget(key);
  }

  async #bring(cached: KubernetesObject, context: ReconcileContext): Promise<Brought | undefined> {
    const parent = await this.#withFinalizer(cached, context);
    if (parent === undefined) return undefined; // the watch will deliver the reason
    const { finalizer, deleted } = this.#options;
    const { deletionTimestamp, finalizers = [] } = parent.metadata;
    const isCollected = finalizers.some((name) => COLLECTOR_FINALIZERS.includes(name));
    const isOurs = finalizer?.isUsed === true && carries(parent, finalizer) && !isCollected;
    return this.#sync.bring(parent, context, {
      finalizing: this.#isFinalized(parent),
      managesChildren: deletionTimestamp === undefined || isOurs,
      finalizer: deleted === 'cleanup' ? undefined : finalizer?.name,
    });
  }

  /** True for a parent that is being deleted or no longer selected, if a finalize function exists. */
  #isFinalized(parent: KubernetesObject): boolean {
    const { finalizer, selects } = this.#options;
    const isDue = parent.metadata.deletionTimestamp !== undefined || selects?.(parent) === false;
    return finalizer?.isUsed === true && isDue;
  }

  /**
   * The parent with its finalizer. Undefined when nothing has to be done for the parent, because it is gone,
   * or because an unused finalizer was removed.
   */
  async #withFinalizer(
    parent: KubernetesObject,
    { client, signal }: ReconcileContext,
  ): Promise<KubernetesObject | undefined> {
    const { finalizer, parent: source, deleted } = this.#options;
    const isCarried = carries(parent, finalizer);
    if (finalizer === undefined || deleted === 'cleanup') return parent;
    if (isCarried === finalizer.isUsed) return parent;
    const { resource } = source;
    if (isCarried) {
      await removeFinalizer(client, resource, parent, finalizer.name, { signal });
      return undefined;
    }
    if (parent.metadata.deletionTimestamp !== undefined) return parent; // it cannot be added any more
    const stored = await addFinalizer(client, resource, parent, finalizer.name, { signal });
    return stored === undefined ? undefined : asCached(stored, parent, source);
  }
}

/** A cleanup is always retried, because otherwise the object could never be deleted. */
function retried(error: unknown): unknown {
  if (!(error instanceof TerminalError)) return error;
  const { message } = error;
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', cause: error });
}
