import { OperatorError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';

/**
 * Returns when `object` says which one it is: with its uid in the body, an apply cannot bring back an
 * object that was deleted meanwhile.
 *
 * @throws OperatorError `USER_CODE` without `metadata.uid`.
 */
export function requireUid(resource: Resource, object: KubernetesObject): void {
  if ((object.metadata.uid ?? '') !== '') return;
  throw new OperatorError('applyExisting needs metadata.uid, of the object as it was read', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { resource: resourceName(resource), name: object.metadata.name },
  });
}

/**
 * Returns when an update of `object` is guarded against lost updates, or says that it is not.
 *
 * @throws OperatorError `USER_CODE` without `metadata.resourceVersion`, unless `force`.
 */
export function requireResourceVersion(
  resource: Resource,
  object: KubernetesObject,
  force: boolean | undefined,
): void {
  if (force === true || (object.metadata.resourceVersion ?? '') !== '') return;
  throw new OperatorError('update needs metadata.resourceVersion, or force', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { resource: resourceName(resource), name: object.metadata.name },
  });
}

/** `object` without its version: whatever is there is overwritten. */
export function unversioned(object: KubernetesObject): KubernetesObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
