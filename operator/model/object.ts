/** A reference from a dependent to the object that it lives and dies with. */
export interface OwnerReference {
  /** Group and version of the owner, as `apps/v1`. */
  readonly apiVersion: string;
  /** Kind of the owner. */
  readonly kind: string;
  /** Name of the owner, in the namespace of the dependent, or cluster-scoped. */
  readonly name: string;
  /** The owner itself: another object of its name is no owner. */
  readonly uid: string;
  /** True for the one owner that manages the dependent. */
  readonly controller?: boolean;
  /** True: a foreground deletion of the owner waits for the dependent. */
  readonly blockOwnerDeletion?: boolean;
}

/** The part of `metadata` that the toolkit itself reads. */
export interface ObjectMeta {
  /** Unique among the objects of a resource in a namespace. */
  readonly name: string;
  /** Left out for a cluster-scoped object. */
  readonly namespace?: string;
  /** The API server makes the name of this and five random characters, if there is no `name`. */
  readonly generateName?: string;
  /** Given by the API server: no other object ever has it. */
  readonly uid?: string;
  /** Changes with every write. Opaque: compared with `===`. */
  readonly resourceVersion?: string;
  /** Grows with every change of the `spec`. */
  readonly generation?: number;
  /** RFC 3339, whole seconds; given by the API server. */
  readonly creationTimestamp?: string;
  /** RFC 3339, whole seconds. The object is being deleted: it goes when its finalizers are gone. */
  readonly deletionTimestamp?: string;
  /** Seconds that the object may take to end, from its deletion on. */
  readonly deletionGracePeriodSeconds?: number;
  /** What selectors find the object by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Texts for programs and people, by which nothing is selected. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What must be done before the object goes, by the names of who does it. */
  readonly finalizers?: readonly string[];
  /** The objects that this one is deleted with. One of them at most is its controller. */
  readonly ownerReferences?: readonly OwnerReference[];
  /** Which writer has which field. Caches leave it out by default. */
  readonly managedFields?: readonly unknown[];
}

/** Any Kubernetes object. Shared objects are read-only: copy before changing. */
export interface KubernetesObject {
  /** `v1`, or `group/version`. */
  readonly apiVersion: string;
  /** CamelCase, in the singular. */
  readonly kind: string;
  /** Its names, versions, labels and owners. */
  readonly metadata: ObjectMeta;
}

/** `namespace/name`, or `name` for a cluster-scoped object. Unique within one resource. */
export type ObjectKey = string & { readonly __brand: 'ObjectKey' };

/** The key of an object, from its parts. */
export function objectKey(namespace: string | undefined, name: string): ObjectKey {
  return (namespace ? `${namespace}/${name}` : name) as ObjectKey;
}

/** The key of `object`. */
export function keyOf(object: { readonly metadata: ObjectMeta }): ObjectKey {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

/** The parts of a key; `namespace` is undefined for a cluster-scoped object. */
export function splitKey(key: ObjectKey): { namespace: string | undefined; name: string } {
  const slash = key.indexOf('/');
  if (slash < 0) return { namespace: undefined, name: key };
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The owner that manages `object`, or undefined when no controller does. */
export function controllerOf(object: {
  readonly metadata: ObjectMeta;
}): OwnerReference | undefined {
  return ownersIn(object.metadata).find((reference) => reference.controller === true);
}

/**
 * The owners that `metadata` names. An aggregated API server may send null for the list, or items that
 * name nobody: what is no reference is left out.
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
 * Compares two resourceVersions of the same resource by the rule of KEP-5504: decimal strings
 * without leading zero are ordered by length, then by text. No number is made of them, so that 39
 * digits are as good as two.
 *
 * @returns negative, zero or positive; undefined when they are different and not comparable.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isOrdered(a) || !isOrdered(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** True only when both are comparable and `a` is older than `b`. */
export function isOlder(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}

/** True for a resourceVersion that can be ordered against another one. */
export function isOrdered(resourceVersion: string): boolean {
  // Once or twice an event: a regular expression takes several times as long.
  const { length } = resourceVersion;
  if (length === 0 || resourceVersion.charCodeAt(0) === ZERO) return false;
  for (let at = 0; at < length; at++) {
    const code = resourceVersion.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}
