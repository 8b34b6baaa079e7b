import { OperatorError } from '../../core/errors.ts';
import { type KubernetesObject, keyOf } from '../../model/object.ts';
import { AlreadyOwnedError, isControlledBy } from '../../model/owner-reference.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { BeingDeletedError } from '../errors.ts';
import type { ChildWrite } from './child-writer.ts';
import { enginePartsOf, type Refused } from './engine-parts.ts';
import { setOwner } from './guarded-writes.ts';

/** The label of children with `generateSelector`. Its value is the uid of their parent. */
export const CONTROLLER_UID = 'controller-uid';

/** The annotation that marks an attachment with the name of its decorator. */
export const DECORATED_BY = 'metacontroller.k8s.io/decorator-controller';

/**
 * The name of the decorator that has created an object for its owner. Only this decorator changes the object.
 */
export function decoratorOf({ metadata: { annotations } }: KubernetesObject): string | undefined {
  return annotations?.[DECORATED_BY];
}

/**
 * The error for an object that already has the name of a child. The key waits until the name is free.
 *
 * @param by - the object that already has the name of the child; undefined if that object is gone by now.
 * @param remedy - what to do if the object has no controller.
 */
export function inTheWay(
  { refused }: { readonly refused?: Refused | undefined },
  resource: Resource,
  child: KubernetesObject,
  by: KubernetesObject | undefined,
  remedy?: string,
): OperatorError {
  refused?.(resource, child, by);
  const name = keyOf(child);
  const context = { resource: resourceName(resource), name };
  if (by === undefined || by.metadata.deletionTimestamp !== undefined) {
    return new BeingDeletedError('a child of that name is being deleted', { context });
  }
  if (decoratorOf(child) === undefined) return new AlreadyOwnedError(resource, by, remedy);
  return new OperatorError(
    `${resourceName(resource)} ${name} exists and is no attachment of this object: it is left alone`,
    { code: 'ALREADY_OWNED', layer: 'user-code', context },
  );
}

/**
 * Requires that an existing object with the name of a child is this child: the owner controls the object, and
 * both have the same decorator or none.
 *
 * @throws BeingDeletedError when the object is being deleted, or gone.
 * @throws OperatorError `ALREADY_OWNED`.
 */
export function requireOwn<C extends KubernetesObject>(
  resource: Resource,
  child: KubernetesObject,
  existing: C | undefined,
  { owner, context }: ChildWrite,
): C {
  const isOwn =
    existing !== undefined &&
    existing.metadata.deletionTimestamp === undefined &&
    isControlledBy(existing, owner) &&
    decoratorOf(existing) === decoratorOf(child);
  if (isOwn) return existing;
  throw inTheWay({ refused: enginePartsOf(context)?.refused }, resource, child, existing);
}

/**
 * The existing object that has the name of a child to be created. It is changed in one case only: if it is a
 * child of the owner, but has lost the label by which children are claimed, it is released. If the cache of
 * children selects by that label, nothing else would ever see this child again.
 *
 * @throws OperatorError in the same cases as `requireOwn`, and for a child that was released.
 */
export async function existingChild(
  resource: Resource,
  child: KubernetesObject,
  write: ChildWrite,
): Promise<KubernetesObject> {
  const { name, namespace, labels } = child.metadata;
  const { owner, context } = write;
  const found = await context.client.find<KubernetesObject>(resource, { name, namespace });
  const live = requireOwn(resource, child, found, write);
  // A function may itself set a label with that name, for another purpose.
  const label = labels?.[CONTROLLER_UID];
  if (label !== owner.metadata.uid || live.metadata.labels?.[CONTROLLER_UID] === label) return live;
  const released = await setOwner(context.client, resource, live, owner);
  return requireOwn(resource, child, released, write);
}
