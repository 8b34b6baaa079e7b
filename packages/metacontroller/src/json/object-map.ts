import type { KubernetesObject, Resource } from 'chancery';
import { apiVersionOf } from 'chancery/internal';
import type { HookVersion } from '../spec.ts';

/** The objects of one resource in a request. */
export interface TypedObjects {
  readonly resource: Resource;
  readonly objects: readonly KubernetesObject[];
}

/** Objects by type, and then by key. Types without objects are included. */
export type ObjectMap = Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;

/**
 * The objects that a hook of `version` gets for `parent`.
 *
 * With v1, a namespaced parent gets only the objects of its own namespace, keyed by name.
 * Cluster-scoped objects are also excluded. In all other cases the key of a namespaced object is
 * `namespace/name`.
 */
export function objectMap(
  types: Iterable<TypedObjects>,
  parent: KubernetesObject,
  version: HookVersion,
): ObjectMap {
  const { namespace } = parent.metadata;
  const isRelative = version === 'v1' && isSet(namespace);
  const map: [string, Readonly<Record<string, KubernetesObject>>][] = [];
  for (const { resource, objects } of types) {
    const shown = isRelative
      ? objects.filter(({ metadata }) => metadata.namespace === namespace)
      : objects;
    const entries = shown.map((object) => [keyOfObject(object, isRelative), object] as const);
    map.push([typeKey(resource), Object.fromEntries(entries)]);
  }
  return Object.fromEntries(map);
}

/** The key of a type: `Pod.v1`, `StatefulSet.apps/v1`. */
function typeKey(resource: Resource): string {
  return `${resource.kind}.${apiVersionOf(resource)}`;
}

function keyOfObject({ metadata }: KubernetesObject, isRelative: boolean): string {
  const { namespace, name } = metadata;
  return isRelative || !isSet(namespace) ? name : `${namespace}/${name}`;
}

/**
 * True when there is a namespace. An empty string counts as no namespace, because an aggregated API
 * server may write it.
 */
function isSet(namespace: string | undefined): boolean {
  return namespace !== undefined && namespace !== '';
}
