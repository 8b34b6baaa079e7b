import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { type LabelSelector, type Selector, selectorFromObject } from '../../model/selector.ts';
import { type Controller, type ControllerOptions, controller } from '../controller.ts';
import type { Finalizer, Unfinished } from '../finalizers/finalizer.ts';
import { AWAIT_CHANGE, type ReconcileContext, type Result } from '../reconciler.ts';
import type { Source } from '../source.ts';
import { adoptOrphans } from './adopt-orphans.ts';
import { applyChildren } from './apply-children.ts';
import { type ChildRule, childSources, type ObservedChildren, observedChildren } from './child.ts';
import { type SyncResult, validateSyncResult } from './sync-result.ts';

/** What a composite's functions may use besides their arguments; reading it keeps them pure. */
export type SyncContext = Pick<ReconcileContext, 'signal' | 'log' | 'store' | 'attempt'> & {
  /** Wall time in milliseconds, from the process's clock. */
  readonly nowMs: number;
};

/** What `composite` takes: the options of `controller`, but for those that it decides itself. */
export interface CompositeOptions<P extends KubernetesObject>
  extends Omit<ControllerOptions<P>, 'for' | 'owns' | 'reconcile' | 'finalizer'> {
  /** The objects that have the children. A resource stands for a source with its defaults. */
  readonly parent: Source<P> | Resource<P>;
  /** The resources of which children may be; each is watched, and may be written and deleted. */
  readonly children: readonly (Resource | ChildRule)[];
  /**
   * Children are claimed by these labels, as a ReplicaSet claims its Pods: what matches and has no
   * controller is adopted, what does not match any more is orphaned. Every child that `sync` wants must
   * match. Default: none is adopted or orphaned; children are those that `sync` has made.
   */
  readonly selector?: (parent: P) => LabelSelector | undefined;
  /**
   * Parent and observed children → desired children and status. Pure: it reads its arguments, which are
   * frozen, and writes nothing; it is called again whenever one of them changes. When it throws nothing
   * changes, and it is called again with back-off. Not called for a parent that is being deleted: its
   * children go with it, by the garbage collector, or as `finalize` says.
   */
  sync(
    parent: P,
    children: ObservedChildren,
    context: SyncContext,
  ): SyncResult<P> | Promise<SyncResult<P>>;
  /**
   * The same for a parent that is being deleted: children that should still be there, until there is
   * nothing left to do. While it is given, parents carry its finalizer.
   */
  readonly finalize?: CompositeFinalizer<P>;
}

/** How a composite's parents go. */
interface CompositeFinalizer<P extends KubernetesObject> {
  /** Qualified, `domain/name`. Never changed once parents carry it. */
  readonly name: string;
  /** Pure, as `sync`. Called until it says `finalized`, then the parent goes. */
  sync(
    parent: P,
    children: ObservedChildren,
    context: SyncContext,
  ): FinalizeResult<P> | Promise<FinalizeResult<P>>;
}

/** What a composite's `finalize` wants the world to be for a parent that is being deleted. */
export type FinalizeResult<P extends KubernetesObject> = SyncResult<P> & {
  /** True: nothing is left to do, and the parent may go. */
  readonly finalized: boolean;
};

/**
 * Declares a controller that keeps a parent's children as a function says: it creates what is missing,
 * applies what differs, deletes what is no longer wanted, and writes the parent's status. What
 * Metacontroller's CompositeController does by webhook, in process.
 *
 * Children get the parent as their controller. Only such objects are ever changed or deleted, the
 * latter with their uid, so that a foreign object of the same name is left alone.
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
  const sources = childSources(children, options.name);
  /** Undefined when the parent is going, and nothing is to be done for it. */
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

/** A cleanup that says nothing about time is looked at again so often, besides every change. */
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

/** An empty selector would claim every object of a namespace: that is a mistake, not a wish. */
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
