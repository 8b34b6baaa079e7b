/** The cluster of a scenario by resource and name, and the small objects that the operators here are about. */
import type { KubernetesObject, ObjectMeta, OwnerReference, Resource } from 'chancery';
import type { ScenarioCluster } from '../../../src/explore/scenario/scenario.ts';

/** The API group of the kinds of this folder. */
export const GROUP = 'faults.example.dev';
/** Everything is in this namespace. */
export const NAMESPACE = 'default';

/** An object of `resource`, with `fields` beside its metadata. */
export function objectOf<T extends KubernetesObject>(
  resource: Resource<T>,
  metadata: Partial<ObjectMeta>,
  fields: Omit<T, 'apiVersion' | 'kind' | 'metadata'>,
): T {
  const place = resource.namespaced ? { namespace: NAMESPACE } : {};
  const names = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return { ...names, metadata: { name: '', ...place, ...metadata }, ...fields } as T;
}

/** What makes `owner` the controller of an object. */
export function controlledBy({ apiVersion, kind, metadata }: KubernetesObject): {
  readonly ownerReferences: readonly OwnerReference[];
} {
  const { name, uid = '' } = metadata;
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
}

export function find<T extends KubernetesObject>(
  cluster: ScenarioCluster,
  resource: Resource<T>,
  name: string,
): T | undefined {
  return cluster.get(apiVersionOf(resource), resource.kind, NAMESPACE, name) as T | undefined;
}

export function all<T extends KubernetesObject>(
  cluster: ScenarioCluster,
  resource: Resource<T>,
): readonly T[] {
  return cluster.list(apiVersionOf(resource), resource.kind, NAMESPACE) as unknown as readonly T[];
}

export function patch(
  cluster: ScenarioCluster,
  resource: Resource,
  name: string,
  mergePatch: object,
  subresource?: 'status',
): void {
  cluster.patch(apiVersionOf(resource), resource.kind, NAMESPACE, name, mergePatch, subresource);
}

export function remove(cluster: ScenarioCluster, resource: Resource, name: string): void {
  cluster.delete(apiVersionOf(resource), resource.kind, NAMESPACE, name);
}

function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
