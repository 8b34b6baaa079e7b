import { type ObjectKey, objectKey } from '../../../model/object.ts';
import type { Cluster } from '../cluster.ts';
import type { StoredObject } from '../cluster-access.ts';
import { notFound } from '../failures.ts';
import type { ServedResource } from '../registry/served-resource.ts';

/** One object that a request is about. */
export interface Target {
  readonly served: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

export function keyOfTarget({ namespace, name }: Target): ObjectKey {
  return objectKey(namespace, name);
}

/** The object in its stored shape. @throws ApiError 404. */
export function requireStored({ storage }: Cluster, target: Target): StoredObject {
  const live = storage.get(target.served.storedAs, keyOfTarget(target));
  if (live === undefined) throw notFound(target.served, target.name);
  return live;
}
