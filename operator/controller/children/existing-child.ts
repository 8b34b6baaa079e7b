import { controllerOf, type KubernetesObject, keyOf, ownersIn } from '../../model/object.ts';
import { AlreadyOwnedError } from '../../model/owner-reference.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { BeingDeletedError } from '../errors.ts';
import type { ChildWrite } from './child-writer.ts';

/** The label of children by `generateSelector`. Its value is the uid of their parent. */
export const CONTROLLER_UID = 'controller-uid';

/** The annotation that marks an attachment with the name of its decorator. */
export const DECORATED_BY = 'metacontroller.k8s.io/decorator-controller';

/**
 * The object that already has the name of a child to be created. It is left alone. But a child of the owner that has
 * lost the label by which children are claimed is released: the cache of children may select by the label, and then
 * nothing else would ever see this child.
 *
 * @throws BeingDeletedError when the object is being deleted, or gone again.
 * @throws AlreadyOwnedError when the owner does not control it, or no longer.
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
  const isOfOwner = controllerOf(live)?.uid === owner.metadata.uid;
  if (!isOfOwner || decoratorOf(live) !== decoratorOf(child)) {
    throw new AlreadyOwnedError(resource, live);
  }
  // A function may state a label of that name for purposes of its own.
  const label = child.metadata.labels?.[CONTROLLER_UID];
  if (label !== owner.metadata.uid || live.metadata.labels?.[CONTROLLER_UID] === label) return live;
  const { uid, resourceVersion } = live.metadata;
  const ownerReferences = ownersIn(live.metadata).filter((each) => each.uid !== owner.metadata.uid);
  const body = { metadata: { uid, resourceVersion, ownerReferences } };
  const released = await context.client.patch<KubernetesObject>(resource, live.metadata, {
    type: 'merge',
    body,
  });
  throw new AlreadyOwnedError(resource, released);
}

function decoratorOf({ metadata: { annotations } }: KubernetesObject): string | undefined {
  return annotations?.[DECORATED_BY];
}
