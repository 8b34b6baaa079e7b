/** A reference from a dependent to its owner. The dependent is deleted with its owners. */
export interface OwnerReference {
  /** Group and version of the owner, such as `apps/v1`. */
  readonly apiVersion: string;
  /** Kind of the owner. */
  readonly kind: string;
  /** Name of the owner, which is cluster-scoped or in the namespace of the dependent. */
  readonly name: string;
  /** Identifies the owner. Another object of the same name is not the owner. */
  readonly uid: string;
  /** True for the owner that manages the dependent. There is at most one such owner. */
  readonly controller?: boolean;
  /** True if a foreground deletion of the owner waits for the dependent. */
  readonly blockOwnerDeletion?: boolean;
}

/** The members of `metadata` that the toolkit reads. */
export interface ObjectMeta {
  /** Unique among the objects of one resource in a namespace. */
  readonly name: string;
  /** Omitted for a cluster-scoped object. */
  readonly namespace?: string;
  /** Prefix of the name if there is no `name`. The API server appends five random characters. */
  readonly generateName?: string;
  /** The API server sets the uid. No other object ever has the same uid. */
  readonly uid?: string;
  /** Changes with every write. Its contents have no meaning: compare it only with `===`. */
  readonly resourceVersion?: string;
  /** Grows with every change of `spec`. */
  readonly generation?: number;
  /** RFC 3339, whole seconds. Set by the API server. */
  readonly creationTimestamp?: string;
  /**
   * RFC 3339, whole seconds. Set when the object is being deleted. The object disappears when it has no
   * finalizers left.
   */
  readonly deletionTimestamp?: string;
  /** Seconds that the object may take to terminate, counted from its deletion. */
  readonly deletionGracePeriodSeconds?: number;
  /** Labels, by which selectors find the object. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Strings that programs and people store in the object. Unlike labels, they are not used by selectors. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Names of the steps that must be done before the API server removes the object. */
  readonly finalizers?: readonly string[];
  /**
   * The owners. The object is deleted when they are deleted. At most one owner is the controller of the
   * object.
   */
  readonly ownerReferences?: readonly OwnerReference[];
  /** The fields that each field manager has set. Caches omit this member by default. */
  readonly managedFields?: readonly unknown[];
}

/** Any Kubernetes object. Shared objects are read-only: copy an object before changing it. */
export interface KubernetesObject {
  /** `v1`, or `group/version`. */
  readonly apiVersion: string;
  /** CamelCase, singular. */
  readonly kind: string;
  /** The names, versions, labels and owners of the object. */
  readonly metadata: ObjectMeta;
}

/** `namespace/name`, or `name` for a cluster-scoped object. Unique within one resource. */
export type ObjectKey = string & { readonly __brand: 'ObjectKey' };

/** Identifies one object of a resource. The `metadata` of an object can be passed as well. */
export interface Target {
  /** Omit it for a cluster-scoped object. */
  readonly namespace?: string | undefined;
  /** Name of the object. */
  readonly name: string;
}

/** The key for a namespace and a name. */
export function objectKey(namespace: string | undefined, name: string): ObjectKey {
  return (namespace ? `${namespace}/${name}` : name) as ObjectKey;
}

/** The key of `object`. */
export function keyOf(object: { readonly metadata: ObjectMeta }): ObjectKey {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

/** The key of an object that is given by its key or by its name. */
export function keyFrom(given: ObjectKey | Target): ObjectKey {
  return typeof given === 'string' ? given : objectKey(given.namespace, given.name);
}

/** The namespace and the name in a key; `namespace` is undefined for a cluster-scoped object. */
export function splitKey(key: ObjectKey): { namespace: string | undefined; name: string } {
  const slash = key.indexOf('/');
  if (slash < 0) return { namespace: undefined, name: key };
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The owner that manages `object`; undefined when it has no controller. */
export function controllerOf(object: {
  readonly metadata: ObjectMeta;
}): OwnerReference | undefined {
  return ownersIn(object.metadata).find((reference) => reference.controller === true);
}

/**
 * The owners in `metadata`. Invalid items are skipped, because an aggregated API server may send null for
 * the list, or items without a name.
 */
export function ownersIn({ ownerReferences }: ObjectMeta): readonly OwnerReference[] {
  const named: unknown = ownerReferences;
  return Array.isArray(named) ? named.filter(isReference) : [];
}

function isReference(item: unknown): item is OwnerReference {
  if (typeof item !== 'object' || item === null) return false;
  const { apiVersion, kind, name, uid } = item as Partial<Record<keyof OwnerReference, unknown>>;
  return [apiVersion, kind, name, uid].every((part) => typeof part === 'string');
}

const ZERO = 0x30;
const NINE = 0x39;

/**
 * Compares two resourceVersions of the same resource by the rule of KEP-5504: decimal strings without leading
 * zero are ordered by length, then as strings. They are not converted to numbers, so any length works.
 *
 * @returns a negative number, zero or a positive number; undefined when the two are different and not
 *   comparable.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isOrdered(a) || !isOrdered(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** True only when `a` and `b` are comparable and `a` is older than `b`. */
export function isOlder(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}

/** True for a resourceVersion that can be compared with others. */
export function isOrdered(resourceVersion: string): boolean {
  // This function runs once or twice for each event, and a regular expression would take several times as
  // long.
  const { length } = resourceVersion;
  if (length === 0 || resourceVersion.charCodeAt(0) === ZERO) return false;
  for (let at = 0; at < length; at++) {
    const code = resourceVersion.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}
