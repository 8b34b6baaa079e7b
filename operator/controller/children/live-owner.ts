import type { Client } from '../../client/client.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';

/**
 * Whether this very object is there and stays, asked live. An orphan is adopted by who is there to
 * bring it up: the cache may still show an owner that is gone, and the child would be deleted with it.
 */
export async function isLiveOwner(
  client: Client,
  resource: Resource,
  { metadata: { name, namespace, uid } }: KubernetesObject,
): Promise<boolean> {
  const live = await client.find(resource, { name, namespace });
  return live?.metadata.uid === uid && live?.metadata.deletionTimestamp === undefined;
}
