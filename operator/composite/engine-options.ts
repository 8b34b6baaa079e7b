import type { ChildWrites } from '../controller/access-declaration.ts';
import type { ChildWriter } from '../controller/children/child-writer.ts';
import type { ControllerOptions } from '../controller/controller.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import type { Source } from '../controller/source.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { LabelSelector } from '../model/selector.ts';
import type { StatusFields } from '../model/status-fields.ts';
import type { DesiredChild } from './child.ts';
import type { Related, RelatedObjects } from './related/related-objects.ts';

/**
 * What happens to an existing child that differs from the desired one.
 *
 * - `apply`: the child is changed in place.
 * - `recreate`: the child is deleted, and created again once it is gone.
 * - `keep`: the child is not changed, and a person has to resolve the difference.
 * - `rolling-apply`, `rolling-recreate`: like `apply` and `recreate`, for one child at a time in the order of
 *   the answer. The next child waits until all previous children pass their status checks.
 */
export type ChildUpdate = 'apply' | 'recreate' | 'keep' | 'rolling-apply' | 'rolling-recreate';

/** A condition that an updated child must have before a rolling update continues. */
export interface StatusCheck {
  readonly type: string;
  /** If omitted, the condition may have any status. */
  readonly status?: string;
  /** If omitted, the condition may have any reason. */
  readonly reason?: string;
}

/** A resource of children, and how the engine handles its objects. */
export interface ChildType {
  readonly resource: Resource;
  readonly update: ChildUpdate;
  readonly statusChecks: readonly StatusCheck[];
  readonly source: Source;
}

/** One call of the user's function (`sync`, `finalize` or the hook), which decides the desired children. */
export interface SyncRequest {
  /**
   * The parent, or the decorated object. For an older revision: the current parent with the fields of that
   * revision.
   */
  readonly parent: KubernetesObject;
  /** The children, keyed by the name of their resource, with an entry for every declared resource. */
  readonly children: ReadonlyMap<string, readonly KubernetesObject[]>;
  /**
   * The objects that the rules select, keyed by the name of their resource, with an entry for every resource
   * of a rule.
   */
  readonly related: ReadonlyMap<string, RelatedObjects>;
  readonly finalizing: boolean;
  /**
   * The name of the revision, so that caches of answers do not mix revisions. '' if there is only
   * one.
   */
  readonly revision: string;
  readonly context: ReconcileContext;
}

/** The answer of the function. */
export interface SyncAnswer {
  /** Every child that should exist. */
  readonly children: readonly DesiredChild[];
  /**
   * `null`: the status contains only the fields that the engine itself adds. Undefined: the effect depends on
   * the engine's `status`. For a decorator, `null` and undefined both mean that the status stays as it is.
   */
  readonly status?: Readonly<Record<string, unknown>> | null | undefined;
  /** For a decorator: labels to set; null deletes a label. */
  readonly labels?: Readonly<Record<string, string | null>> | undefined;
  /** For a decorator: annotations to set; null deletes an annotation. */
  readonly annotations?: Readonly<Record<string, string | null>> | undefined;
  readonly resyncAfterMs?: number | undefined;
  /** True when the cleanup of a parent that is being finalized is complete. */
  readonly finalized?: boolean | undefined;
}

/** A desired child with its type. */
export interface PlannedChild extends DesiredChild {
  readonly type: ChildType;
  /** Resource, namespace and name, as returned by `childIdentity`. */
  readonly identity: string;
}

/** What a rolling update does in one reconcile. */
export interface RollingPlan {
  /** The desired children of all revisions together, in the order of the latest answer. */
  readonly children: readonly PlannedChild[];
  /** The condition to write into the parent's status. */
  readonly condition: {
    readonly type: 'Updated';
    readonly status: 'True' | 'False';
    readonly reason: 'RolloutWaiting' | 'RolloutProgressing' | 'OnLatestRevision';
    readonly message: string;
  };
  /** Stores, claims and deletes revisions. Called before any child is written. */
  store(context: ReconcileContext): Promise<void>;
}

/** One version of the fields of a parent that define a revision. */
export interface ParentRevision {
  /** Name of the ControllerRevision; '' for the only revision of a parent without rolling children. */
  readonly name: string;
  /** The parent with the fields of this revision. */
  readonly parent: KubernetesObject;
}

/** The live revisions of one parent. */
export interface LiveRevisions {
  /** The revisions for which the function is called, latest first. */
  readonly asked: readonly ParentRevision[];
  /**
   * @param answers - the children in the answers of the function for these revisions. Their names are unique,
   *   and their namespaces are filled in.
   * @param observed - the claimed children, keyed by their identity.
   */
  plan(
    answers: readonly (readonly PlannedChild[])[],
    observed: ReadonlyMap<string, KubernetesObject>,
  ): Promise<RollingPlan>;
}

/** How rolling updates are handled. A composite without rolling children omits this. */
export interface Revisions {
  read(parent: KubernetesObject, context: ReconcileContext): Promise<LiveRevisions>;
  /** The reads and permissions that the controller needs for revisions. */
  readonly wiring: Pick<ControllerOptions<KubernetesObject>, 'reads' | 'permissions'>;
  /** The writes of the stored revisions, for generated policies. */
  readonly stored: readonly ChildWrites[];
}

/** The options of the engine that composites and decorators share. */
interface EngineOptions {
  readonly name: string;
  /** The parents, or the decorated objects. */
  readonly parent: Source;
  readonly children: readonly ChildType[];
  /**
   * Returns false for a parent that this controller does not manage. If such a parent has the finalizer, it
   * is finalized. Default: all parents are selected.
   */
  readonly selects?: ((parent: KubernetesObject) => boolean) | undefined;
  readonly writer: ChildWriter;
  /**
   * The name of the finalizer. `isUsed` is true if there is a function that finalizes; otherwise a finalizer
   * with this name is removed.
   */
  readonly finalizer?: { readonly name: string; readonly isUsed: boolean } | undefined;
  /** True: drops changes that leave generation, labels and annotations unchanged. Default false. */
  readonly ignoreStatusChanges?: boolean | undefined;
  readonly related?: Related | undefined;
  /** Returns the desired state. Called once per live revision. */
  sync(request: SyncRequest): Promise<SyncAnswer>;
  /**
   * How failures are reported to people, in addition to the log. If omitted, they are only logged. Otherwise
   * the parent gets a Warning Event `SyncError`. With `condition`, its status also gets a condition, which
   * the next success removes. The type of the condition is `Synced`; for a decorator it begins with the
   * decorator's name. With `once`, a failure such as a refused child causes no `SyncError`, because the
   * controller already records an Event for it.
   */
  readonly failures?: { readonly condition: boolean; readonly once?: boolean };
  /**
   * The status fields that the parent's definition declares and that the engine itself may write. If omitted,
   * the definition is unknown: the engine writes its fields, and does not mind if the API server drops them.
   */
  readonly statusFields?: StatusFields;
  /**
   * Called for a failed reconcile of a parent, before its Event and condition. A conflict with another writer
   * is not a failure.
   */
  readonly failed?: (
    parent: KubernetesObject,
    error: unknown,
    context: ReconcileContext,
  ) => Promise<void>;
  /** Further options of the controller. */
  readonly controller: Partial<ControllerOptions<KubernetesObject>>;
}

/**
 * The options of the engine that makes the children and the status of a parent match the answer of a
 * function. `composite` and the controllers of Metacontroller's contract use this engine with different
 * options.
 */
export interface CompositeEngineOptions extends EngineOptions {
  /** True: children are the objects with the label `controller-uid`, which the engine adds. */
  readonly generateSelector: boolean;
  /**
   * Labels that children must have; see `CompositeOptions.selector`. Not allowed together with
   * `generateSelector`.
   */
  readonly selector?: ((parent: KubernetesObject) => LabelSelector | undefined) | undefined;
  /**
   * `state`: writes the fields that the function returns, by server-side apply. `replace`: writes the whole
   * status, with `observedGeneration`, as Metacontroller does.
   */
  readonly status: 'state' | 'replace';
  /**
   * What is done for a parent that is being deleted. `sync`: the function is called, and the finalizer is
   * removed before children are changed, as in Metacontroller. `cleanup`: nothing is done unless the parent
   * has the finalizer. The controller adds the finalizer, and removes it when children and status match the
   * answer. Default `sync`.
   */
  readonly deleted?: 'sync' | 'cleanup';
  readonly revisions?: Revisions | undefined;
}

/**
 * The options of the engine that decorates the objects of one resource: it makes their labels, annotations,
 * status and attachments match the answer of a function. The attachments are their children. A rolling update
 * behaves like the update without `rolling-`.
 */
export interface DecoratorEngineOptions extends EngineOptions {
  /** The name that marks attachments. Two decorators of one object must have different names. */
  readonly decorator: string;
  /**
   * If false, the status is written together with the object itself, because there is no status
   * subresource.
   */
  readonly hasStatusSubresource: boolean;
}

/** The options of either engine. An option that only one of them has is undefined for the other. */
export type AnyEngineOptions = EngineOptions &
  Partial<CompositeEngineOptions> &
  Partial<DecoratorEngineOptions>;
