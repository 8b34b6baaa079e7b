import { OperatorError } from '../core/errors.ts';
import {
  controllerOf,
  type KubernetesObject,
  keyOf,
  type ObjectMeta,
  type OwnerReference,
} from './object.ts';
import { apiVersionOf, type Resource, resourceName } from './resource.ts';

const LEFT_ALONE = 'it is left alone; delete it, or give the child another name';

/** The child has another controller, or it has no controller and adoption is not allowed. */
export class AlreadyOwnedError extends OperatorError {
  override readonly name = 'AlreadyOwnedError';
  /** The current controller of the child; undefined when it has no controller. */
  readonly controller: OwnerReference | undefined;

  /** @param remedy - what the reader of the error can do about an object that has no controller. */
  constructor(
    resource: Resource,
    child: { readonly metadata: ObjectMeta },
    remedy: string = LEFT_ALONE,
  ) {
    const controller = controllerOf(child);
    const whose =
      controller === undefined
        ? `exists without a controller: ${remedy}`
        : `belongs to ${controller.kind} ${controller.name}`;
    const name = keyOf(child);
    super(`${resourceName(resource)} ${name} ${whose}`, {
      code: 'ALREADY_OWNED',
      layer: 'user-code',
      context: { resource: resourceName(resource), name },
    });
    this.controller = controller;
  }
}

/**
 * `child` with `owner` as its controller. The controller manages the child, and the child is deleted with it.
 * `blockOwnerDeletion` is set, so that a foreground deletion of the owner waits for the child. If the API
 * server enforces this field, as OpenShift does, it requires the right to `update` the owner's `finalizers`.
 * An existing reference to the same owner is replaced, and references to other owners are kept.
 *
 * Does not change its arguments.
 *
 * @throws AlreadyOwnedError `ALREADY_OWNED` when the child has another controller.
 * @throws OperatorError `USER_CODE` when the API does not allow the owner, so that the garbage collector
 *   would delete the child: an owner in another namespace, or a namespaced owner of a cluster-scoped child.
 * Also when the owner has no uid, for example before it is created.
 */
export function setControllerReference<T extends KubernetesObject>(
  owner: KubernetesObject,
  child: T,
  ownerResource: Resource,
  childResource: Resource,
): T {
  const current = controllerOf(child);
  const reference = controllerReference(owner, ownerResource);
  if (current !== undefined && !isSameOwner(current, reference)) {
    throw new AlreadyOwnedError(childResource, child);
  }
  requireScope(owner, child, ownerResource, childResource);
  return withOwner(child, reference);
}

/**
 * `child` with `owner` as one of its owners. A child can have many owners, but only one controller. An
 * existing reference to the same owner is not changed.
 *
 * @throws OperatorError `USER_CODE` in the same cases as `setControllerReference`.
 */
export function setOwnerReference<T extends KubernetesObject>(
  owner: KubernetesObject,
  child: T,
  ownerResource: Resource,
  childResource: Resource,
): T {
  requireScope(owner, child, ownerResource, childResource);
  const {
    controller: _,
    blockOwnerDeletion: __,
    ...reference
  } = controllerReference(owner, ownerResource);
  const known = child.metadata.ownerReferences ?? [];
  return known.some((one) => isSameOwner(one, reference)) ? child : withOwner(child, reference);
}

/** An owner reference that makes `owner` the controller. */
export function controllerReference(
  owner: KubernetesObject,
  ownerResource: Resource,
): Required<OwnerReference> {
  const { name, uid } = owner.metadata;
  if (uid === undefined || uid === '') {
    throw unusable('an owner needs a uid: it must have been read from the API server', {
      owner: keyOf(owner),
    });
  }
  const apiVersion = apiVersionOf(ownerResource);
  const { kind } = ownerResource;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** True when `owner` is the controller of `object`, by uid. False for an owner without a uid. */
export function isControlledBy(object: KubernetesObject, owner: KubernetesObject): boolean {
  const { uid = '' } = owner.metadata;
  return uid !== '' && controllerOf(object)?.uid === uid;
}

/** True when `a` and `b` refer to the same object, even in different versions of its group. */
function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return (
    groupOf(a.apiVersion) === groupOf(b.apiVersion) &&
    a.kind === b.kind &&
    a.name === b.name &&
    a.uid === b.uid
  );
}

function withOwner<T extends KubernetesObject>(child: T, reference: OwnerReference): T {
  const known = child.metadata.ownerReferences ?? [];
  const at = known.findIndex((one) => isSameOwner(one, reference));
  const ownerReferences = at < 0 ? [...known, reference] : known.with(at, reference);
  return { ...child, metadata: { ...child.metadata, ownerReferences } };
}

function requireScope(
  owner: KubernetesObject,
  child: KubernetesObject,
  ownerResource: Resource,
  childResource: Resource,
): void {
  if (!ownerResource.namespaced) return;
  const facts = { owner: keyOf(owner), child: keyOf(child) };
  if (!childResource.namespaced) {
    throw unusable('a namespaced object cannot own a cluster-scoped one', facts);
  }
  if (owner.metadata.namespace !== child.metadata.namespace) {
    throw unusable('an object cannot own one of another namespace', facts);
  }
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

function unusable(message: string, context: Readonly<Record<string, string>>): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', context });
}
