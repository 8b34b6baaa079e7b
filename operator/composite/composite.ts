import { applyWriter } from '../controller/children/apply-writer.ts';
import type { Controller, ControllerOptions } from '../controller/controller.ts';
import { requireFunction } from '../controller/known-options.ts';
import type { DesiredStatus, ReconcileContext } from '../controller/reconciler.ts';
import { type Source, sourceOf } from '../controller/source.ts';
import { ConfigurationError, OperatorError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import type { LabelSelector } from '../model/selector.ts';
import { type DesiredChild, type ObservedChildren, observedChildren } from './child.ts';
import { type ChildRule, childTypes } from './child-types.ts';
import { engine } from './engine.ts';
import type { SyncAnswer, SyncRequest } from './engine-options.ts';
import type { RelatedRule } from './related/compiled-rule.ts';
import { Related, type RelatedObjects } from './related/related-objects.ts';
import { isRolling } from './revisions/claims.ts';
import { createRevisions } from './revisions/create-revisions.ts';
import { chanceryFormat } from './revisions/revision-format.ts';

/** The related objects of one parent or decorated object. */
interface RelatedReader {
  /**
   * The objects of one resource, in the order of their keys.
   *
   * @throws OperatorError `USER_CODE` when no rule of the parent is about `resource`.
   */
  of<C extends KubernetesObject>(resource: Resource<C>): readonly C[];
}

/** What a composite's functions may use besides their arguments. Using it does not make a function impure. */
export type SyncContext = Pick<ReconcileContext, 'signal' | 'log' | 'store' | 'attempt'> & {
  /** Wall time in milliseconds, from the process's clock. */
  readonly nowMs: number;
  /** The objects that `customize` selects for the parent. */
  readonly related: RelatedReader;
};

/** The desired state that `sync` returns. */
export interface SyncResult<P extends KubernetesObject> {
  /**
   * Every child that should exist, created with `child`. Existing children that are not in the list are
   * deleted; `[]` deletes all. An answer without this field is an error and changes nothing.
   */
  readonly children: readonly DesiredChild[];
  /** The parent's status, as `setStatus` accepts it. If omitted, the status stays as it is. */
  readonly status?: DesiredStatus<P>;
  /**
   * Milliseconds after which `sync` is called again without a change. Use it for results that depend on time.
   */
  readonly requeueAfterMs?: number;
}

/** The options of `composite`: the options of `controller`, except those that `composite` sets itself. */
export interface CompositeOptions<P extends KubernetesObject>
  extends Omit<ControllerOptions<P>, 'for' | 'owns' | 'reconcile' | 'gone' | 'finalizer'> {
  /** The objects whose children are managed. A resource is used as a source with its defaults. */
  readonly parent: Source<P> | Resource<P>;
  /** The resources of the children. Each is watched, and the controller may write and delete its objects. */
  readonly children: readonly (Resource | ChildRule)[];
  /**
   * Children are claimed by these labels, in the same way as a ReplicaSet claims its Pods. A matching object
   * without a controller is adopted; a child that no longer matches is orphaned. Every child that `sync`
   * returns must match. Default: nothing is adopted or orphaned, and the children are the objects that `sync`
   * has created.
   */
  readonly selector?: (parent: P) => LabelSelector | undefined;
  /**
   * True: children are claimed by the label `controller-uid`, which every child gets; its value is the uid of
   * the parent. Not allowed together with `selector`. Default false.
   */
  readonly generateSelector?: boolean;
  /**
   * For children with a rolling update: which fields of a parent define a revision. A rolling update moves
   * children one by one from the answer for the old revision to the answer for the new one.
   */
  readonly revisions?: RevisionRule;
  /** The resources of related objects. Each is watched. `customize` selects some of their objects. */
  readonly related?: readonly (Resource | Source)[];
  /**
   * Selects the related objects of one parent from the resources in `related`. It must be pure. A change of a
   * selected object calls `sync`, which reads the objects from `context.related`.
   */
  readonly customize?: (parent: P) => readonly RelatedRule[] | Promise<readonly RelatedRule[]>;
  /**
   * Returns the desired children and status for a parent and its observed children. It must be pure: it reads
   * its arguments, which are frozen, and writes nothing. It is called again whenever one of them changes. If
   * it throws, nothing changes and it is called again with back-off. It is not called for a parent that is
   * being deleted: the garbage collector deletes the children together with the parent, or `finalize`
   * decides.
   */
  sync(
    parent: P,
    children: ObservedChildren,
    context: SyncContext,
  ): SyncResult<P> | Promise<SyncResult<P>>;
  /**
   * Like `sync`, for a parent that is being deleted. It returns the children that should still exist, and is
   * called until it reports that the cleanup is complete. If it is set, parents get its finalizer.
   */
  readonly finalize?: CompositeFinalizer<P>;
}

/** The revisions of a composite's parents. They are stored as ControllerRevisions of `apps/v1`. */
interface RevisionRule {
  /** The fields of a parent that define a revision, such as `spec.template`. Default `spec`. */
  readonly fieldPaths?: readonly string[];
  /**
   * Where the revisions of cluster-scoped parents are stored. Revisions of a namespaced parent are stored in
   * the parent's namespace.
   */
  readonly namespace?: string;
}

/** The cleanup of a composite's parents. */
interface CompositeFinalizer<P extends KubernetesObject> {
  /** A qualified name, `domain/name`. Do not change it once parents have the finalizer. */
  readonly name: string;
  /**
   * It must be pure, like `sync`. It is called until it returns `finalized: true`; then the finalizer is
   * removed.
   */
  sync(
    parent: P,
    children: ObservedChildren,
    context: SyncContext,
  ): FinalizeResult<P> | Promise<FinalizeResult<P>>;
}

/** The desired state for a parent that is being deleted. */
export type FinalizeResult<P extends KubernetesObject> = SyncResult<P> & {
  /** True when the cleanup is complete, and the finalizer can be removed. */
  readonly finalized: boolean;
};

/**
 * Declares a controller that makes a parent's children match the answer of a function. It creates missing
 * children, applies changed ones, deletes unwanted ones, and writes the parent's status. It does inside the
 * process what Metacontroller's CompositeController does with webhooks.
 *
 * The parent becomes the controller of its children. Only objects that it controls are changed or deleted. A
 * delete request contains the uid, so that another object with the same name is not deleted.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `controller`, and when `children` is invalid.
 */
export function composite<P extends KubernetesObject>({
  parent,
  children,
  selector,
  generateSelector = false,
  revisions,
  related,
  customize,
  sync,
  finalize,
  ...options
}: CompositeOptions<P>): Controller<P> {
  const { name } = options;
  const source = sourceOf(parent) as unknown as Source;
  requireFunction(`composite ${name}`, 'sync', sync, 'sync: (parent, children) => ({ children })');
  requireList(`children of composite ${name}`, children);
  if (children.length === 0) throw new ConfigurationError(`composite ${name} needs children`);
  if (generateSelector && selector !== undefined) {
    throw new ConfigurationError(`composite ${name} has selector and generateSelector: take one`);
  }
  const types = childTypes(children);
  const writer = applyWriter({ fieldManager: name });
  const hasRevisions = types.some(isRolling);
  if (revisions !== undefined && !hasRevisions) {
    throw new ConfigurationError(
      `composite ${name} has revisions, and no children with update rolling-apply or rolling-recreate`,
    );
  }
  const stored = { controller: name, parentResource: source.resource, children: types, writer };
  return engine({
    name,
    parent: source,
    children: types,
    generateSelector,
    selector: selector && ((object) => selector(object as P)),
    writer,
    status: 'state',
    deleted: 'cleanup',
    finalizer: finalize && { name: finalize.name, isUsed: true },
    related: customizing(customize, related, name),
    revisions: hasRevisions
      ? createRevisions({ ...stored, ...revisions, format: chanceryFormat(name) })
      : undefined,
    failures: { condition: false, once: true },
    sync: asking(name, 'children', sync, finalize),
    controller: { consistency: 'overlay', ...options } as Partial<
      ControllerOptions<KubernetesObject>
    >,
  }) as unknown as Controller<P>;
}

/** Checks the list for callers that do not check types, because the engine cannot do it. */
export function requireList(of: string, children: unknown): void {
  if (Array.isArray(children)) return;
  throw new ConfigurationError(`${of} must be a list, as [configMaps]`);
}

/** A function of a composite or a decorator. */
export type SyncFunction<P extends KubernetesObject, R> = (
  parent: P,
  children: ObservedChildren,
  context: SyncContext,
) => R | Promise<R>;

/**
 * Returns a function that calls `sync` or `finalize` with the objects that it may read. The engine
 * checks the answer.
 */
export function asking<P extends KubernetesObject, R extends { readonly requeueAfterMs?: number }>(
  name: string,
  list: 'children' | 'attachments',
  sync: SyncFunction<P, R>,
  finalize: { readonly sync: SyncFunction<P, R> } | undefined,
): (request: SyncRequest) => Promise<SyncAnswer> {
  return async ({ parent, children, related, finalizing, context }) => {
    const decide = finalizing && finalize !== undefined ? finalize.sync : sync;
    const { signal, log, store, attempt, clock } = context;
    const answer: object | undefined = await decide(parent as P, observedChildren(children, name), {
      ...{ signal, log, store, attempt, nowMs: clock.now() },
      related: relatedReader(related, name),
    });
    const { requeueAfterMs, [list]: wanted, ...rest }: Record<string, unknown> = { ...answer };
    // For the engine, as for hooks, 0 means that no value is set. In this option it means at once.
    const resyncAfterMs = requeueAfterMs === 0 ? 1 : requeueAfterMs;
    return { ...rest, children: wanted, resyncAfterMs } as SyncAnswer;
  };
}

/** Gives a function of a composite access to the selected objects, as `context.related`. */
function relatedReader(
  found: ReadonlyMap<string, RelatedObjects>,
  controller: string,
): RelatedReader {
  return {
    of: <C extends KubernetesObject>(resource: Resource<C>) => {
      const known = found.get(resourceName(resource));
      if (known !== undefined) return known.objects as readonly C[];
      throw new OperatorError('no rule names this resource: return one from customize', {
        code: 'USER_CODE',
        layer: 'user-code',
        context: { controller, resource: resourceName(resource) },
      });
    },
  };
}

/** The related objects that `customize` selects from the resources that the controller declares. */
export function customizing<P extends KubernetesObject>(
  customize: CompositeOptions<P>['customize'],
  related: readonly (Resource | Source)[] = [],
  controller: string,
): Related | undefined {
  if (customize === undefined) return undefined;
  return new Related({
    controller,
    rules: async (parent) => customize(parent as P),
    rulesKeptMs: 0, // a function of this process costs nothing
    sources: { declared: related.map((given) => sourceOf(given)) },
  });
}
