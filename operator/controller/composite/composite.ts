import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { type LabelSelector, type Selector, selectorFromObject } from '../../model/selector.ts';
import { type Controller, type ControllerOptions, controller } from '../controller.ts';
import type { Finalizer, Unfinished } from '../finalizers/finalizer.ts';
import { requireFunction } from '../known-options.ts';
import { AWAIT_CHANGE, type ReconcileContext, type Result } from '../reconciler.ts';
import type { Source } from '../source.ts';
import { adoptOrphans } from './adopt-orphans.ts';
import { applyChildren } from './apply-children.ts';
import { type ChildRule, childSources, type ObservedChildren, observedChildren } from './child.ts';
import { type SyncResult, validateSyncResult } from './sync-result.ts';

/** What a composite's functions may use besides their arguments. Reading it keeps them pure. */
export type SyncContext = Pick<ReconcileContext, 'signal' | 'log' | 'store' | 'attempt'> & {
  /** Wall time in milliseconds, from the process's clock. */
  readonly nowMs: number;
};

/** The options of `composite`: those of `controller`, except for those that `composite` sets itself. */
export interface CompositeOptions<P extends KubernetesObject>
  extends Omit<ControllerOptions<P>, 'for' | 'owns' | 'reconcile' | 'finalizer'> {
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
  sync,
  finalize,
  permissions = [],
  ...options
}: CompositeOptions<P>): Controller<P> {
  requireComposite(options.name, children, sync);
  const sources = childSources(children, options.name);
  /** Undefined when the parent is gone or being deleted and nothing was done, see `adoptOrphans`. */
  async function bring<A extends SyncResult<P>>(
    object: P,
    context: ReconcileContext<P>,
    wanted: (...call: Parameters<typeof sync>) => A | Promise<A>,
  ): Promise<A | undefined> {
    const claiming = selectorOf(selector?.(object), options.name);
    const parentResource = declared.for.resource;
    const claims = { parent: object, parentResource, sources, selector: claiming, context };
    const own = await adoptOrphans(claims);
    if (own === undefined) return undefined;
    const observed = observedChildren(own, options.name);
    const answer = await wanted(object, observed, syncContext(context));
    const planned = validateSyncResult(answer, object, sources, claiming);
    await applyChildren(planned, own, context, sources);
    if (answer.status !== undefined) await context.setStatus(answer.status);
    return answer;
  }
  const declared: Controller<P> = controller<P>({
    ...options,
    for: parent,
    owns: sources.map(({ source }) => ({ source })),
    permissions: [
      ...sources.map(({ resource }) => ({ resource, verbs: ['delete'] as const })),
      ...permissions,
    ],
    ...(finalize && { finalizer: finalizerOf(finalize, bring) }),
    async reconcile(_key, object, context): Promise<Result> {
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
        return AWAIT_CHANGE;
      }
      const answer = await bring(object, context, sync);
      const requeueAfterMs = answer?.requeueAfterMs;
      return requeueAfterMs === undefined ? AWAIT_CHANGE : { requeueAfterMs };
    },
  });
  return declared;
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
  { name, sync }: CompositeFinalizer<P>,
  bring: (
    object: P,
    context: ReconcileContext<P>,
    wanted: CompositeFinalizer<P>['sync'],
  ) => Promise<FinalizeResult<P> | undefined>,
): Finalizer<P> {
  return {
    name,
    async finalize(object, context): Promise<Unfinished | undefined> {
      const answer = await bring(object, context, sync);
      if (answer?.finalized === true) return undefined;
      return { requeueAfterMs: answer?.requeueAfterMs ?? FINALIZE_POLL_MS };
    },
  };
}

function syncContext({ signal, log, store, attempt, clock }: ReconcileContext): SyncContext {
  return { signal, log, store, attempt, nowMs: clock.now() };
}

/** Throws for an empty selector, which would claim every object of a namespace: that is a mistake. */
function selectorOf(selector: LabelSelector | undefined, name: string): Selector | undefined {
  if (selector === undefined) return undefined;
  const parsed = selectorFromObject(selector);
  if (parsed.length > 0) return parsed;
  throw new OperatorError('the selector of a parent is empty, it would claim every object', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { controller: name },
  });
}
