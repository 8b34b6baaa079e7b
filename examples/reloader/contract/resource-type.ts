/** The three types of resources whose changes restart workloads, as the original names them. */
export type ResourceType = 'CONFIGMAP' | 'SECRET' | 'SECRETPROVIDERCLASS';

/** All of them, in the order in which lists and records name them. */
export const RESOURCE_TYPES: readonly ResourceType[] = [
  'CONFIGMAP',
  'SECRET',
  'SECRETPROVIDERCLASS',
];

/** One resource of the namespace of the workload. */
export interface ResourceRef {
  readonly type: ResourceType;
  readonly name: string;
}

/** A `ResourceRef` as text, `configmap/app`: the key of maps and of the baseline. Names have no slash. */
export type RefKey = string & { readonly refKey: unique symbol };

/** The key of a resource: equal for equal references, and sortable. */
export function refKey({ type, name }: ResourceRef): RefKey {
  return `${type.toLowerCase()}/${name}` as RefKey;
}

/** The resource of a key; undefined for a text that `refKey` does not make. */
export function refOfKey(key: string): ResourceRef | undefined {
  const slash = key.indexOf('/');
  const type = RESOURCE_TYPES.find((each) => each.toLowerCase() === key.slice(0, slash));
  const name = key.slice(slash + 1);
  if (slash === -1 || type === undefined || name === '' || name.includes('/')) return undefined;
  return { type, name };
}
