import type { KubernetesObject, Resource } from 'chancery';
import { apiVersionOf } from 'chancery/internal';
import type { HookVersion } from '../spec.ts';

/** Objects of one resource, as a request shows them. */
export interface TypedObjects {
  readonly resource: Resource;
  readonly objects: readonly KubernetesObject[];
}

/** Type → key → object. A type without objects is there, too. */
export type ObjectMap = Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;

/**
 * The objects that a hook of `version` gets for `parent`.
 *
 * With v1, a namespaced parent sees only objects of its own namespace, by their names; cluster-scoped ones are left out,
 * too. Everywhere else the key of a namespaced object is `namespace/name`.
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

/** `Pod.v1`, `StatefulSet.apps/v1`. */
function typeKey(resource: Resource): string {
  return `${resource.kind}.${apiVersionOf(resource)}`;
}

function keyOfObject({ metadata }: KubernetesObject, isRelative: boolean): string {
  const { namespace, name } = metadata;
  return isRelative || !isSet(namespace) ? name : `${namespace}/${name}`;
}

/** An aggregated API server may write an empty namespace. */
function isSet(namespace: string | undefined): boolean {
  return namespace !== undefined && namespace !== '';
}
