import { createHash } from 'node:crypto';

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
  /** The only keys of its data that count for the workload, sorted. Default: all. */
  readonly keys?: readonly string[] | undefined;
}

/**
 * A `ResourceRef` as text, `configmap/app`: the key of maps and of the baseline. Names have no slash. With `keys`, a
 * digest of them follows: the hash of some keys must not be compared with that of others.
 */
export type RefKey = string & { readonly refKey: unique symbol };

/** The key of a resource: equal for equal references, and sortable. */
export function refKey({ type, name, keys }: ResourceRef): RefKey {
  const whole = `${type.toLowerCase()}/${name}`;
  return (keys === undefined ? whole : `${whole}?${digestOf(keys)}`) as RefKey;
}

/** Enough to tell apart the lists that a workload has had. Keys have no comma. */
const DIGEST_DIGITS = 8;

function digestOf(keys: readonly string[]): string {
  return createHash('sha256').update(keys.join(',')).digest('hex').slice(0, DIGEST_DIGITS);
}

/** The resource of a key, without its keys; undefined for a text that `refKey` does not make. */
export function refOfKey(key: string): ResourceRef | undefined {
  const slash = key.indexOf('/');
  const type = RESOURCE_TYPES.find((each) => each.toLowerCase() === key.slice(0, slash));
  const name = key.slice(slash + 1).replace(/\?[0-9a-f]{8}$/, '');
  if (slash === -1 || type === undefined || name === '' || name.includes('/')) return undefined;
  return { type, name };
}
