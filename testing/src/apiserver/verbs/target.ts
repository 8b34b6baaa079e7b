import type { ObjectKey } from 'chancery';
import { objectKey } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import { invalid } from '../failures/invalid.ts';
import { conflict, notFound } from '../failures/object-failures.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { changePasses } from '../validation/fields/metadata.ts';
import { invalidValue } from '../validation/fields/problem.ts';

/** The object in the path of a request. */
export interface Target {
  readonly served: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

export function keyOfTarget({ namespace, name }: Target): ObjectKey {
  return objectKey(namespace, name);
}

/**
 * The object in its storage format.
 * @throws ApiError 404 if the object does not exist.
 */
export function requireStored({ storage }: Cluster, target: Target): StoredObject {
  const live = storage.get(target.served.storedAs, keyOfTarget(target));
  if (live === undefined) throw notFound(target.served, target.name);
  return live;
}

/** The error for a write whose uid belongs to another object with this name. */
export function otherUid(target: Target, wanted: string, found: string): Error {
  const { served, namespace, name } = target;
  const key = ['/registry', prefixOf(served), namespace, name].filter(Boolean).join('/');
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  return conflict(served, name, why);
}

/** The error for a patch whose uid belongs to another object with this name. */
export function uidIsImmutable({ served, name }: Target, uid: string | undefined): Error {
  const message = `Invalid value: ${JSON.stringify(uid ?? '')}: field is immutable`;
  const problem = { field: 'metadata.uid', reason: 'FieldValueInvalid', message };
  return invalid(served, name, Array(changePasses(served)).fill(problem));
}

/**
 * Checks the kind of a custom object, and in a patch also the version, before all other checks.
 *
 * @throws ApiError 422 for a kind other than `expected`.
 */
export function requireKind(
  object: StoredObject,
  expected: { readonly kind: string; readonly apiVersion?: string },
  name: string | undefined,
): void {
  const problems = (['kind', 'apiVersion'] as const)
    .filter((field) => expected[field] !== undefined && object[field] !== expected[field])
    .map((field) => invalidValue(field, object[field], `must be ${expected[field]}`));
  if (problems.length === 0) return;
  const { apiVersion, kind } = object;
  const group = apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '';
  throw invalid({ kind, group }, name ?? '', problems);
}

/** The paths in etcd of built-in resources that are not stored under their plural, keyed by the plural. */
const PREFIXES: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};

function prefixOf({ custom, group, plural }: ServedResource): string {
  if (custom || group === 'apiextensions.k8s.io') return `${group}/${plural}`;
  return PREFIXES[plural] ?? plural;
}
