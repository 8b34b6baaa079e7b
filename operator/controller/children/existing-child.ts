import { controllerOf, type KubernetesObject, keyOf } from '../../model/object.ts';
import { AlreadyOwnedError } from '../../model/owner-reference.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { BeingDeletedError } from '../errors.ts';
import type { ChildWrite } from './child-writer.ts';
import { isMap, mergePatchOf } from './json-difference.ts';

/**
 * The object that already has the name of a child to be created. It is left alone, but for labels that a child of the
 * owner has lost: the cache of children may select by them, and would never show this child again.
 *
 * @throws BeingDeletedError when the object is being deleted, or gone again.
 * @throws AlreadyOwnedError when the owner does not control it.
 */
export async function existingChild(
  resource: Resource,
  child: KubernetesObject,
  { owner, context }: ChildWrite,
): Promise<KubernetesObject> {
  const { name, namespace } = child.metadata;
  const live = await context.client.find<KubernetesObject>(resource, { name, namespace });
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) {
    throw new BeingDeletedError('a child of that name is being deleted', {
      context: { resource: resourceName(resource), name: keyOf(child) },
    });
  }
  if (controllerOf(live)?.uid !== owner.metadata.uid) throw new AlreadyOwnedError(resource, live);
  const { labels } = live.metadata;
  const restored = { ...(isMap(labels) ? labels : {}), ...child.metadata.labels };
  const patch = mergePatchOf({ labels: labels ?? {} }, { labels: restored });
  if (patch === undefined) return live;
  const { uid } = live.metadata;
  const body = { metadata: { uid, ...patch } };
  return context.client.patch<KubernetesObject>(resource, live.metadata, { type: 'merge', body });
}
