import type { Client, WriteOptions } from '../../client/client.ts';
import { isNotFound } from '../../model/not-found.ts';
import { type KubernetesObject, type OwnerReference, ownersIn } from '../../model/object.ts';
import { isUidMismatch, isVersionConflict } from '../../model/refusal.ts';
import type { Resource } from '../../model/resource.ts';
import type { DeleteOwnedOptions } from '../reconciler.ts';

/** The object from a live read; undefined when it is gone, or when another object has its name. */
export async function readLive<C extends KubernetesObject>(
  client: Client,
  resource: Resource<C>,
  { metadata: { name, namespace, uid } }: Pick<KubernetesObject, 'metadata'>,
): Promise<C | undefined> {
  const live = await client.find(resource, { name, namespace });
  return live?.metadata.uid === uid ? live : undefined;
}

/**
 * Calls `send` with the known version of an object. If the object has changed meanwhile, calls `send` again
 * with the newest version.
 *
 * @returns undefined when the object is gone.
 * @throws any error of `send`; `isVersionConflict` when other writers won every try.
 */
export async function withNewest<C extends KubernetesObject, T>(
  client: Client,
  resource: Resource<C>,
  known: C,
  { send, maxTries }: { readonly send: (current: C) => Promise<T>; readonly maxTries: number },
): Promise<T | undefined> {
  let current: C | undefined = known;
  for (let tries = 1; current !== undefined; tries++) {
    try {
      return await send(current);
    } catch (error) {
      if (!isVersionConflict(error) || tries >= maxTries) throw error;
    }
    current = await readLive(client, resource, known);
  }
  return undefined;
}

/** The fields of a merge patch. Null deletes a field. */
type Change = Readonly<Record<string, unknown>> & { readonly metadata?: object };

/**
 * Changes exactly this version of an object by a merge patch. If another writer was faster, it
 * throws a conflict.
 */
export async function patchThis(
  client: Client,
  resource: Resource,
  { metadata: { name, namespace, uid, resourceVersion } }: KubernetesObject,
  { metadata, ...fields }: Change,
  options?: WriteOptions,
): Promise<KubernetesObject> {
  const body = { metadata: { uid, resourceVersion, ...metadata }, ...fields };
  return client.patch(resource, { name, namespace }, { type: 'merge', body }, options);
}

/**
 * Replaces the reference to `owner` in this version of an object with `reference`. If `reference` is
 * undefined, removes the reference.
 */
export async function setOwner(
  client: Client,
  resource: Resource,
  object: KubernetesObject,
  owner: KubernetesObject,
  reference?: OwnerReference,
): Promise<KubernetesObject> {
  const others = ownersIn(object.metadata).filter(({ uid }) => uid !== owner.metadata.uid);
  const ownerReferences = reference === undefined ? others : [...others, reference];
  return patchThis(client, resource, object, { metadata: { ownerReferences } });
}

/**
 * Deletes exactly this object (same uid), not a new object with the same name.
 *
 * @returns false when the object is gone or already being deleted.
 */
export async function deleteThis(
  client: Client,
  resource: Resource,
  { metadata: { name, namespace, uid, deletionTimestamp } }: KubernetesObject,
  { propagationPolicy = 'Background' }: DeleteOwnedOptions = {},
): Promise<boolean> {
  if (deletionTimestamp !== undefined || uid === undefined) return false;
  const options = { preconditions: { uid }, propagationPolicy };
  try {
    await client.delete(resource, { name, namespace }, options);
    return true;
  } catch (error) {
    if (!isNotFound(error) && !isUidMismatch(error)) throw error;
    return false;
  }
}
