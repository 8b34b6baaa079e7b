import type { KubernetesObject, LabelSelector, Log, ObjectMeta } from 'chancery';

/** What a function of a module gets besides the request. */
export interface HookContext {
  /** Aborts at the time limit of the hook, and when the process stops. */
  readonly signal: AbortSignal;
  /** Bound to the controller and the parent. */
  readonly log: Log;
}

/**
 * Objects by type, then by key. A type is `Pod.v1` or `StatefulSet.apps/v1`; every declared type is there, also without
 * objects. With hook version v2 the key of a namespaced object is `namespace/name`. With v1 it is the name if the parent
 * has a namespace: then only objects of that namespace are there. The key of a cluster-scoped object is its name.
 */
export type ObjectsByType = Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;

/** What a sync or finalize hook of a CompositeController is asked. It is frozen. */
export interface CompositeSyncRequest<P extends KubernetesObject = KubernetesObject> {
  /** The CompositeController, with an empty status. */
  readonly controller: KubernetesObject;
  /** The parent. During a rolling update, its older revisions are asked for, too. */
  readonly parent: P;
  /** The children that exist. */
  readonly children: ObjectsByType;
  /** The objects that the customize hook selects. */
  readonly related: ObjectsByType;
  /** True for a finalize hook: the parent is being deleted, or is no longer selected. */
  readonly finalizing: boolean;
}

/** What a sync or finalize hook of a CompositeController answers. */
export interface CompositeSyncResponse extends HookResponse {
  /**
   * Every child that should exist. Other children are deleted; `[]` deletes all. It may only be left out with
   * `finalized: true`, and if the controller has no types of children.
   */
  readonly children?: readonly DesiredObject[];
  /** Replaces the status. `observedGeneration` is added. Left out or null: the status is only that. */
  readonly status?: object | null;
}

/** What a sync or finalize hook of a DecoratorController is asked. It is frozen. */
export interface DecoratorSyncRequest<T extends KubernetesObject = KubernetesObject> {
  /** The DecoratorController, with an empty status. */
  readonly controller: KubernetesObject;
  /** The object that is decorated. */
  readonly object: T;
  /** The attachments that exist. */
  readonly attachments: ObjectsByType;
  /** The objects that the customize hook selects. */
  readonly related: ObjectsByType;
  /** True for a finalize hook: the object is being deleted, or is no longer selected. */
  readonly finalizing: boolean;
}

/** What a sync or finalize hook of a DecoratorController answers. */
export interface DecoratorSyncResponse extends HookResponse {
  /** Labels to set. Null deletes one. Others stay. */
  readonly labels?: Readonly<Record<string, string | null>> | null;
  /** Annotations to set. Null deletes one. Others stay. */
  readonly annotations?: Readonly<Record<string, string | null>> | null;
  /** Replaces the status. Left out or null: it stays. */
  readonly status?: object | null;
  /** As `children` of a composite. */
  readonly attachments?: readonly DesiredObject[];
}

/** What answers of sync and finalize hooks of both kinds have. */
interface HookResponse {
  /** The hook is called again after this time, also without a change. At most a year; 0 is never. */
  readonly resyncAfterSeconds?: number;
  /** Nothing is left to do for a parent that is finalized. Without effect in the answer of a sync hook. */
  readonly finalized?: boolean;
  /** Events about the parent, at most ten. Read only with `--extensions` and hook version v2. */
  readonly events?: readonly HookEvent[];
}

/** An Event that is recorded about the parent. */
export interface HookEvent {
  /** Default `Normal`. */
  readonly type?: 'Normal' | 'Warning';
  /** CamelCase, at most 128 characters. */
  readonly reason: string;
  /** For people. At most 1,024 characters are kept. */
  readonly message: string;
}

/** An object that should exist: the fields that the hook decides about. */
export type DesiredObject = NamedObject | (NamedObject & Readonly<Record<string, unknown>>);

interface NamedObject {
  /** `v1`, `apps/v1`. It is that of a declared type. */
  readonly apiVersion: string;
  /** CamelCase, singular. It is that of a declared type. */
  readonly kind: string;
  /** Without a namespace, that of the parent. */
  readonly metadata: Partial<ObjectMeta> & Pick<ObjectMeta, 'name'>;
}

/** What a customize hook is asked. It is asked again when the generation of the parent changes. */
export interface CustomizeRequest<P extends KubernetesObject = KubernetesObject> {
  /** The CompositeController or DecoratorController, with an empty status. */
  readonly controller: KubernetesObject;
  /** The parent, or the object that is decorated. */
  readonly parent: P;
}

/** What a customize hook answers. */
export interface CustomizeResponse {
  /** Which objects the other hooks get as `related`. Left out: none. */
  readonly relatedResources?: readonly RelatedResourceRule[];
}

/** Objects of one type. Without names, selectors and namespace: all of them. */
export interface RelatedResourceRule {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** Lower-case plural, as in URLs. */
  readonly resource: string;
  /** Excludes `names`. */
  readonly labelSelector?: LabelSelector;
  /** Only objects of this namespace. */
  readonly namespace?: string;
  /** Only objects with these names. */
  readonly names?: readonly string[];
  /** Only objects in namespaces with these labels. Excludes `names` and `namespace`. */
  readonly namespaceSelector?: LabelSelector;
}
