/** A reference from a dependent to the object that it lives and dies with. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The part of `metadata` that the toolkit itself reads. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

/** Any Kubernetes object. Shared objects are read-only: copy before changing. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
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
