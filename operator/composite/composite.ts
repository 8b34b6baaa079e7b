import { applyWriter } from '../controller/children/apply-writer.ts';
import type { ChildWriter } from '../controller/children/child-writer.ts';
import { type Controller, type ControllerOptions, controller } from '../controller/controller.ts';
import type { Finalizer, Unfinished } from '../controller/finalizers/finalizer.ts';
import { requireFunction } from '../controller/known-options.ts';
import type { Outcome, ReconcileContext } from '../controller/reconciler.ts';
import { type Source, sourceOf } from '../controller/source.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { LabelSelector } from '../model/selector.ts';
import { type ObservedChildren, observedChildren } from './child.ts';
import { type ChildRule, childTypes, indexedForAdoption } from './child-types.ts';
import { engineWiring } from './engine.ts';
import type {
  ChildType,
  Related,
  RelatedRule,
  Revisions,
  SyncAnswer,
  SyncRequest,
} from './engine-options.ts';
import { type Brought, ParentSync } from './parent-sync.ts';
import { type RelatedReader, relatedReader } from './related/read-related.ts';
import { relatedObjects } from './related/related-objects.ts';
import { chanceryFormat } from './revisions/chancery-format.ts';
import { isRolling } from './revisions/claims.ts';
import { createRevisions } from './revisions/create-revisions.ts';
import { childrenOf, type SyncResult } from './sync-result.ts';

/** What a composite's functions may use besides their arguments. Reading it keeps them pure. */
export type SyncContext = Pick<ReconcileContext, 'signal' | 'log' | 'store' | 'attempt'> & {
  /** Wall time in milliseconds, from the process's clock. */
  readonly nowMs: number;
  /** The objects that `customize` selects for the parent. */
  readonly related: RelatedReader;
};

/** The options of `composite`: those of `controller`, except for those that `composite` sets itself. */
export interface CompositeOptions<P extends KubernetesObject>
  extends Omit<ControllerOptions<P>, 'for' | 'owns' | 'reconcile' | 'gone' | 'finalizer'> {
  /** The objects whose children are managed. A resource stands for a source with its defaults. */
  readonly parent: Source<P> | Resource<P>;
  /** The resources of the children. Each is watched, and the controller may write and delete its objects. */
  readonly children: readonly (Resource | ChildRule)[];
  /**
   * Children are claimed by these labels, as a ReplicaSet claims its Pods. An object that matches and has
   * no controller is adopted; a child that no longer matches is orphaned. Every child that `sync` returns
   * must match. Default: nothing is adopted or orphaned, and the children are those that `sync` has made.
   */
  readonly selector?: (parent: P) => LabelSelector | undefined;
  /**
   * True: children are claimed by the label `controller-uid`, which every child gets; its value is the uid of the
   * parent. Not together with `selector`. Default false.
   */
  readonly generateSelector?: boolean;
  /**
   * For children with a rolling update: what defines a revision of a parent. A rolling update moves children one by one
   * from the answer for the old revision to the answer for the new one.
   */
  readonly revisions?: RevisionRule;
  /** The resources of related objects. Each is watched. `customize` selects some of their objects. */
  readonly related?: readonly (Resource | Source)[];
  /**
   * Selects the related objects of one parent, of resources in `related`. Pure. A change of a selected object calls
   * `sync`, which reads them from `context.related`.
   */
  readonly customize?: (parent: P) => readonly RelatedRule[] | Promise<readonly RelatedRule[]>;
  /**
   * Parent and observed children → desired children and status. Pure: it reads its arguments, which are
   * frozen, and writes nothing. It is called again whenever one of them changes. When it throws, nothing
   * changes and it is called again with back-off. It is not called for a parent that is being deleted: the
   * garbage collector deletes the children with it, or `finalize` decides.
   */
  sync(
    parent: P,
    children: ObservedChildren,
    context: SyncContext,
  ): SyncResult<P> | Promise<SyncResult<P>>;
  /**
   * Like `sync`, for a parent that is being deleted: it returns the children that should still exist, until
   * nothing is left to do. If it is set, parents carry its finalizer.
   */
  readonly finalize?: CompositeFinalizer<P>;
}

/** The revisions of a composite's parents. They are stored as ControllerRevisions of `apps/v1`. */
interface RevisionRule {
  /** The parts of a parent that define a revision, such as `spec.template`. Default `spec`. */
  readonly fieldPaths?: readonly string[];
  /** Where the revisions of cluster-scoped parents are stored. Revisions of a namespaced parent are beside it. */
  readonly namespace?: string;
}

/** The cleanup of a composite's parents. */
interface CompositeFinalizer<P extends KubernetesObject> {
  /** Qualified, `domain/name`. Do not change it once parents carry it. */
  readonly name: string;
  /** Pure, like `sync`. Called until it returns `finalized: true`; then the finalizer is removed. */
  sync(
    parent: P,
    children: ObservedChildren,
    context: SyncContext,
  ): FinalizeResult<P> | Promise<FinalizeResult<P>>;
}

/** The desired state for a parent that is being deleted. */
export type FinalizeResult<P extends KubernetesObject> = SyncResult<P> & {
  /** True: nothing is left to do, and the finalizer can be removed. */
  readonly finalized: boolean;
};

/**
 * Declares a controller that makes a parent's children match the answer of a function. It creates missing
 * children, applies changed ones, deletes unwanted ones, and writes the parent's status. It does in process
 * what Metacontroller's CompositeController does with webhooks.
 *
 * The parent becomes the controller of its children. Only such objects are changed or deleted. A delete
 * names the uid, so that another object of the same name is left alone.
 *
 * @throws ConfigurationError `CONFIG` as `controller` does, and when `children` is unusable.
 */
export function composite<P extends KubernetesObject>({
  parent,
  children,
  selector,
  generateSelector = false,
  revisions: revisionRule,
  related,
  customize,
  sync,
  finalize,
  ...options
}: CompositeOptions<P>): Controller<P> {
  const { name } = options;
  requireComposite(name, children, sync);
  requireOneSelector(name, generateSelector, selector);
  const parentResource = sourceOf(parent).resource as unknown as Resource;
  const writer = applyWriter({ fieldManager: name });
  const declared = childTypes(children, name);
  const adopts = generateSelector || selector !== undefined;
  const types = adopts ? declared.map(indexedForAdoption) : declared;
  const revisions = revisionsOf(revisionRule, { name, parentResource, types, writer });
  const parts = {
    children: types,
    ...(revisions && { revisions }),
    ...(customize && { related: relatedTo(customize, related ?? [], name) }),
  };
  const engine = new ParentSync({
    ...parts,
    name,
    parentResource,
    generateSelector,
    ...(selector && { selector: (object) => selector(object as P) }),
    writer,
    status: 'state',
    sync: (request) => call(request.finalizing ? (finalize?.sync ?? sync) : sync, request, name),
  });
  const bring: Bring<P> = (object, context, finalizing) =>
    engine.bring(object, context as unknown as ReconcileContext, {
      finalizing,
      managesChildren: true,
    });
  return controller<P>({
    ...options,
    ...engineWiring({ ...parts, controller: options as ControllerParts }),
    for: parent,
    ...(finalize && { finalizer: finalizerOf(finalize, bring) }),
    async reconcile(object, context): Promise<Outcome> {
      if (object.metadata.deletionTimestamp !== undefined) return;
      const brought = await bring(object, context, false);
      return { requeueAfterMs: brought?.resyncAfterMs };
    },
    gone(key) {
      parts.related?.forget(key);
    },
  });
}

function requireOneSelector(name: string, generateSelector: boolean, selector: unknown): void {
  if (!generateSelector || selector === undefined) return;
  throw new ConfigurationError(`composite ${name} has selector and generateSelector: take one`);
}

interface RevisionParts {
  readonly name: string;
  readonly parentResource: Resource;
  readonly types: readonly ChildType[];
  readonly writer: ChildWriter;
}

function revisionsOf(
  rule: RevisionRule | undefined,
  { name, parentResource, types, writer }: RevisionParts,
): Revisions | undefined {
  if (types.some(isRolling)) {
    const format = chanceryFormat(name);
    const given = { controller: name, parentResource, children: types, writer, format };
    return createRevisions({ ...given, ...rule });
  }
  if (rule === undefined) return undefined;
  throw new ConfigurationError(
    `composite ${name} has revisions, and no children with update rolling-apply or rolling-recreate`,
  );
}

function relatedTo<P extends KubernetesObject>(
  customize: NonNullable<CompositeOptions<P>['customize']>,
  related: readonly (Resource | Source)[],
  controller: string,
): Related {
  return relatedObjects({
    controller,
    rules: async (parent) => customize(parent as P),
    rulesKeptMs: 0, // a function of this process costs nothing
    sources: { declared: related.map((given) => sourceOf(given)) },
  });
}

type ControllerParts = Partial<ControllerOptions<KubernetesObject>>;

/** Brings a parent to what its function wants; undefined when it is gone and nothing was done. */
type Bring<P extends KubernetesObject> = (
  object: P,
  context: ReconcileContext<P>,
  finalizing: boolean,
) => Promise<Brought | undefined>;

/** Calls a function of a composite, and gives its answer the form of the engine. */
async function call<P extends KubernetesObject>(
  wanted: CompositeOptions<P>['sync'] | CompositeFinalizer<P>['sync'],
  { parent, children, related, context }: SyncRequest,
  name: string,
): Promise<SyncAnswer> {
  const observed = observedChildren(children, name);
  const answer = await wanted(parent as P, observed, {
    ...syncContext(context),
    related: relatedReader(related, name),
  });
  const { status, requeueAfterMs } = answer ?? {};
  return {
    children: childrenOf(answer),
    status: status as SyncAnswer['status'],
    // The engine takes 0 for none, as hooks do; here it means at once.
    resyncAfterMs: requeueAfterMs === 0 ? 1 : requeueAfterMs,
    finalized: (answer as Partial<FinalizeResult<P>>).finalized === true,
  };
}

/** The checks that `controller` cannot make, for callers without types. */
function requireComposite(name: string, children: unknown, sync: unknown): void {
  requireFunction(`composite ${name}`, 'sync', sync, 'sync: (parent, children) => ({ children })');
  if (Array.isArray(children)) return;
  throw new ConfigurationError(`children of composite ${name} must be a list, as [configMaps]`);
}

/** Milliseconds between two calls of an unfinished cleanup without `requeueAfterMs`. Changes call it, too. */
const FINALIZE_POLL_MS = 60_000;

function finalizerOf<P extends KubernetesObject>(
  { name }: CompositeFinalizer<P>,
  bring: Bring<P>,
): Finalizer<P> {
  return {
    name,
    async finalize(object, context): Promise<Unfinished | undefined> {
      const { finalized, resyncAfterMs } = (await bring(object, context, true)) ?? {};
      if (finalized === true) return undefined;
      return { requeueAfterMs: resyncAfterMs ?? FINALIZE_POLL_MS };
    },
  };
}

function syncContext({
  signal,
  log,
  store,
  attempt,
  clock,
}: ReconcileContext): Omit<SyncContext, 'related'> {
  return { signal, log, store, attempt, nowMs: clock.now() };
}
