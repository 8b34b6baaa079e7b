import type { KubernetesObject, LabelSelector, Log, ObjectMeta } from 'chancery';

/** The second argument of a function in a module. */
export interface HookContext {
  /** Aborts at the time limit of the hook, and when the process stops. */
  readonly signal: AbortSignal;
  /** A log that adds the names of the controller and the parent to each line. */
  readonly log: Log;
}

/**
 * Objects by type, then by key. A type is `Pod.v1` or `StatefulSet.apps/v1`. Every declared type is
 * included, even without objects.
 *
 * With hook version v2, the key of a namespaced object is `namespace/name`. With v1 and a
 * namespaced parent, only objects of its namespace are included, and their key is the name. The key
 * of a cluster-scoped object is its name.
 */
export type ObjectsByType = Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;

/** The request to a sync or finalize hook of a CompositeController. It is frozen. */
export interface CompositeSyncRequest<P extends KubernetesObject = KubernetesObject> {
  /** The CompositeController, with an empty status. */
  readonly controller: KubernetesObject;
  /** The parent. During a rolling update, the hook is also called with older revisions of the parent. */
  readonly parent: P;
  /** The existing children. */
  readonly children: ObjectsByType;
  /** The objects that the customize hook selects. */
  readonly related: ObjectsByType;
  /** True for a finalize hook: the parent is being deleted, or is no longer selected. */
  readonly finalizing: boolean;
}

/** The answer of a sync or finalize hook of a CompositeController. */
export interface CompositeSyncResponse extends HookResponse {
  /**
   * All children that should exist. Other children are deleted; `[]` deletes all. May be omitted
   * only with `finalized: true`, or if the controller has no types of children.
   */
  readonly children?: readonly DesiredObject[];
  /**
   * Replaces the status. `observedGeneration` is added. If omitted or null, the status contains
   * only that field.
   */
  readonly status?: object | null;
}

/** The request to a sync or finalize hook of a DecoratorController. It is frozen. */
export interface DecoratorSyncRequest<T extends KubernetesObject = KubernetesObject> {
  /** The DecoratorController, with an empty status. */
  readonly controller: KubernetesObject;
  /** The decorated object. */
  readonly object: T;
  /** The existing attachments. */
  readonly attachments: ObjectsByType;
  /** The objects that the customize hook selects. */
  readonly related: ObjectsByType;
  /** True for a finalize hook: the object is being deleted, or is no longer selected. */
  readonly finalizing: boolean;
}

/** The answer of a sync or finalize hook of a DecoratorController. */
export interface DecoratorSyncResponse extends HookResponse {
  /** Labels to set. Null deletes a label. Other labels stay. */
  readonly labels?: Readonly<Record<string, string | null>> | null;
  /** Annotations to set. Null deletes an annotation. Other annotations stay. */
  readonly annotations?: Readonly<Record<string, string | null>> | null;
  /** Replaces the status. If omitted or null, the status stays. */
  readonly status?: object | null;
  /** All attachments that should exist. The rules are the same as for `children` of a CompositeController. */
  readonly attachments?: readonly DesiredObject[];
}

/**
 * The fields that CompositeControllers and DecoratorControllers share in the answers of sync and finalize
 * hooks.
 */
interface HookResponse {
  /**
   * Seconds until the hook is called again, even without a change. The maximum is a year. 0 means
   * never.
   */
  readonly resyncAfterSeconds?: number;
  /** True when finalizing the parent is complete. Has no effect in the answer of a sync hook. */
  readonly finalized?: boolean;
  /** Events about the parent, at most ten. Read only with `--extensions` and hook version v2. */
  readonly events?: readonly HookEvent[];
}

/** An Event that is recorded about the parent. */
export interface HookEvent {
  /** The type of the Event. Default `Normal`. */
  readonly type?: 'Normal' | 'Warning';
  /** The reason of the Event, in CamelCase, with at most 128 characters. */
  readonly reason: string;
  /** A text for people. At most 1,024 characters are kept. */
  readonly message: string;
}

/** An object that should exist, with the fields that the hook decides. */
export type DesiredObject = NamedObject | (NamedObject & Readonly<Record<string, unknown>>);

interface NamedObject {
  /** The apiVersion of a declared type, such as `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** The kind of a declared type, in CamelCase and singular. */
  readonly kind: string;
  /** If the namespace is omitted, the namespace of the parent is used. */
  readonly metadata: Partial<ObjectMeta> & Pick<ObjectMeta, 'name'>;
}

/**
 * The request to a customize hook. The hook is called again when the generation of the parent
 * changes.
 */
export interface CustomizeRequest<P extends KubernetesObject = KubernetesObject> {
  /** The CompositeController or DecoratorController, with an empty status. */
  readonly controller: KubernetesObject;
  /** The parent, or the decorated object. */
  readonly parent: P;
}

/** The answer of a customize hook. */
export interface CustomizeResponse {
  /** Rules that select the objects in `related` of the other hooks. If omitted, no objects are selected. */
  readonly relatedResources?: readonly RelatedResourceRule[];
}

/** Selects objects of one type. Without names, selectors and namespace, it selects all of them. */
export interface RelatedResourceRule {
  /** The apiVersion of the type, such as `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** The plural name of the type in lower case, as in URLs. */
  readonly resource: string;
  /** Selects objects with these labels. Must not be combined with `names`. */
  readonly labelSelector?: LabelSelector;
  /** Selects only objects of this namespace. */
  readonly namespace?: string;
  /** Selects only objects with these names. */
  readonly names?: readonly string[];
  /**
   * Selects only objects in namespaces with these labels. Must not be combined with `names` or
   * `namespace`.
   */
  readonly namespaceSelector?: LabelSelector;
}
