import { isUidMismatch } from '../model/conflict.ts';
import { isControlledBy } from '../model/owner-reference.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import { isNotFound } from '../model/status.ts';
import type { OwnerOfChildren } from './apply-owned.ts';
import type { DeleteOwnedOptions } from './reconciler.ts';

/** Deletes a child of the owner: see `ReconcileContext.deleteOwned`. */
export async function deleteOwned(
  { owner, client, known: find }: Pick<OwnerOfChildren, 'owner' | 'client' | 'known'>,
  resource: Resource,
  child: { readonly name: string; readonly namespace?: string },
  { propagationPolicy = 'Background' }: DeleteOwnedOptions = {},
): Promise<boolean> {
  const { name, namespace = owner.metadata.namespace } = child;
  const target = { name, ...(resource.namespaced && namespace !== undefined && { namespace }) };
  const { kind } = resource;
  const known = await find(resource, {
    apiVersion: apiVersionOf(resource),
    kind,
    metadata: target,
  });
  if (known?.metadata.uid === undefined || known.metadata.deletionTimestamp !== undefined) {
    return false;
  }
  if (!isControlledBy(known, owner)) return false;
  const { uid } = known.metadata;
  try {
    await client.delete(resource, target, { preconditions: { uid }, propagationPolicy });
    return true;
  } catch (error) {
    if (isNotFound(error) || isUidMismatch(error)) return false;
    throw error;
  }
}
