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
 * - `apply`: it is changed in place.
 * - `recreate`: it is deleted, and created again once it is gone.
 * - `keep`: it is left as it is; a person has to look at the difference.
 * - `rolling-apply`, `rolling-recreate`: as `apply` and `recreate`, one child at a time in the order of the answer. The
 *   next child waits until those before it pass their status checks.
 */
export type ChildUpdate = 'apply' | 'recreate' | 'keep' | 'rolling-apply' | 'rolling-recreate';

/** A condition that an updated child must have before a rolling update goes on. */
export interface StatusCheck {
  readonly type: string;
  /** Left out: any. */
  readonly status?: string;
  /** Left out: any. */
  readonly reason?: string;
}

/** One resource of children, as the engine handles it. */
export interface ChildType {
  readonly resource: Resource;
  readonly update: ChildUpdate;
  readonly statusChecks: readonly StatusCheck[];
  readonly source: Source;
}

/** One call of the function that decides. */
export interface SyncRequest {
  /** The parent, or the decorated object. For an older revision: the parent of today with the fields of that revision laid over it. */
  readonly parent: KubernetesObject;
  /** Its children by the name of their resource. Every declared resource is there. */
  readonly children: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** The objects that its rules select, by the name of their resource. Every resource of a rule is there. */
  readonly related: ReadonlyMap<string, RelatedObjects>;
  readonly finalizing: boolean;
  /** Names the revision: caches of answers must not mix those of several. '' for the only one. */
  readonly revision: string;
  readonly context: ReconcileContext;
}

/** What the function answers. */
export interface SyncAnswer {
  /** Every child that should exist. */
  readonly children: readonly DesiredChild[];
  /**
   * `null`: the status is only what the engine itself states. Undefined: as the engine's `status` says. For a decorator
   * both mean that the status stays as it is.
   */
  readonly status?: Readonly<Record<string, unknown>> | null | undefined;
  /** Of a decorator: labels to set; null deletes a label. */
  readonly labels?: Readonly<Record<string, string | null>> | undefined;
  /** Of a decorator: annotations to set; null deletes an annotation. */
  readonly annotations?: Readonly<Record<string, string | null>> | undefined;
  readonly resyncAfterMs?: number | undefined;
  /** Nothing is left to do for a parent that is finalized. */
  readonly finalized?: boolean | undefined;
}

/** A desired child with its type. */
export interface PlannedChild extends DesiredChild {
  readonly type: ChildType;
  /** Resource, namespace and name, as `childIdentity` makes it. */
  readonly identity: string;
}

/** What a rolling update decides. */
export interface RollingPlan {
  /** The desired children of all revisions together, in the order of the latest answer. */
  readonly children: readonly PlannedChild[];
  /** Stated in the parent's status. */
  readonly condition: {
    readonly type: 'Updated';
    readonly status: 'True' | 'False';
    readonly reason: 'RolloutWaiting' | 'RolloutProgressing' | 'OnLatestRevision';
    readonly message: string;
  };
  /** Stores, claims and deletes revisions. Called before any child is written. */
  store(context: ReconcileContext): Promise<void>;
}

/** One generation of the parts of a parent that define a revision. */
export interface ParentRevision {
  /** Name of its ControllerRevision; '' for the only revision of a parent without rolling children. */
  readonly name: string;
  /** The parent as this revision sees it. */
  readonly parent: KubernetesObject;
}

/** The live revisions of one parent. */
export interface LiveRevisions {
  /** Those for which the function is called, the latest first. */
  readonly asked: readonly ParentRevision[];
  /**
   * @param answers - what the function answered for each of them. Checked: names are unique, namespaces filled in.
   * @param observed - the claimed children by their identity.
   */
  plan(
    answers: readonly (readonly PlannedChild[])[],
    observed: ReadonlyMap<string, KubernetesObject>,
  ): Promise<RollingPlan>;
}

/** Rolling updates. A composite without rolling children has none. */
export interface Revisions {
  read(parent: KubernetesObject, context: ReconcileContext): Promise<LiveRevisions>;
  /** What the controller must read and may write for this. */
  readonly wiring: Pick<ControllerOptions<KubernetesObject>, 'reads' | 'permissions'>;
}

/** What the engine is told about parents and their children, whatever they are to each other. */
interface EngineOptions {
  readonly name: string;
  /** The parents, or the decorated objects. */
  readonly parent: Source;
  readonly children: readonly ChildType[];
  /** False: the parent is not this controller's. If it carries the finalizer, it is finalized. Default: all are. */
  readonly selects?: ((parent: KubernetesObject) => boolean) | undefined;
  readonly writer: ChildWriter;
  /** Name of the finalizer, and whether there is a function for it. Without one, a finalizer of that name is removed. */
  readonly finalizer?: { readonly name: string; readonly isUsed: boolean } | undefined;
  /** Drop changes that leave generation, labels and annotations as they are. Default false. */
  readonly ignoreStatusChanges?: boolean | undefined;
  readonly related?: Related | undefined;
  /** Decides. Called once for each live revision. */
  sync(request: SyncRequest): Promise<SyncAnswer>;
  /**
   * What tells people of a failure, besides the log. Left out: nothing. Otherwise the parent gets a Warning Event
   * `SyncError`. With `condition`, its status also gets a condition, which the next success removes. The type of the
   * condition is `Synced`; the type of a decorator's condition begins with the name of the decorator. With `once`, a
   * failure such as a refused child gets no `SyncError`, because the controller records an Event of it.
   */
  readonly failures?: { readonly condition: boolean; readonly once?: boolean };
  /**
   * What the definition of the parent lets the engine write into the status by itself. Left out: it is not known, so the
   * engine writes its fields, and does not mind when the API server drops them.
   */
  readonly statusFields?: StatusFields;
  /** Told of a failed reconcile of a parent, before its Event and condition. A lost race is no failure. */
  readonly failed?: (
    parent: KubernetesObject,
    error: unknown,
    context: ReconcileContext,
  ) => Promise<void>;
  /** Further options of the controller. */
  readonly controller: Partial<ControllerOptions<KubernetesObject>>;
}

/**
 * How the engine brings the children and the status of a parent to the answer of a function. `composite` and the
 * controllers of Metacontroller's contract are this engine with different options.
 */
export interface CompositeEngineOptions extends EngineOptions {
  /** True: children are those with the label `controller-uid`, which the engine adds. */
  readonly generateSelector: boolean;
  /** Labels that children must have; see `CompositeOptions.selector`. Not with `generateSelector`. */
  readonly selector?: ((parent: KubernetesObject) => LabelSelector | undefined) | undefined;
  /**
   * `state`: fields that the function states, by server-side apply. `replace`: the whole status, with
   * `observedGeneration`, as Metacontroller does.
   */
  readonly status: 'state' | 'replace';
  /**
   * What is done for a parent that is being deleted. `sync`: the function is called, and the finalizer is removed before
   * children are touched, as Metacontroller does. `cleanup`: nothing without the finalizer, which the controller adds, and
   * removes when children and status are as wanted. Default `sync`.
   */
  readonly deleted?: 'sync' | 'cleanup';
  readonly revisions?: Revisions | undefined;
}

/**
 * How the engine decorates the objects of one resource: it brings their labels, annotations, status and attachments,
 * which are its children, to the answer of a function. A rolling update behaves as the update without `rolling-`.
 */
export interface DecoratorEngineOptions extends EngineOptions {
  /** Marks attachments. Two decorators of one object must have different ones. */
  readonly decorator: string;
  /** Without a status subresource, the status is written with the object itself. */
  readonly hasStatusSubresource: boolean;
}

/** The options of either: those that only the other has are left out. */
export type AnyEngineOptions = EngineOptions &
  Partial<CompositeEngineOptions> &
  Partial<DecoratorEngineOptions>;
