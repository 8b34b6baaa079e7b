import type { LabelSelector, ObjectKey } from 'chancery';
import { controllerOf, matchesSelector, objectKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { CommittedEvent, ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { storedSelector } from '../../objects/stored-selector.ts';
import type { WatchedResource } from '../runner/workload-controller.ts';
import { controllerReference } from './pod-template.ts';

/** Watches `resource`. Each event leads to a reconcile of the object itself. */
export function watchSelf(resource: ResourceName): WatchedResource {
  return {
    resource,
    keysFor: ({ object }) => [objectKey(object.metadata.namespace, object.metadata.name)],
  };
}

/**
 * Watches `resource`. Each event leads to a reconcile of the owners of this kind that manage, or managed, the
 * object.
 */
export function watchDependents(resource: ResourceName, ownerKind: string): WatchedResource {
  return {
    resource,
    keysFor: ({ object, previous }: CommittedEvent): readonly ObjectKey[] =>
      [object, previous].flatMap((state) => {
        const owner = state === undefined ? undefined : controllerOf(state);
        if (state === undefined || owner?.kind !== ownerKind) return [];
        return [objectKey(state.metadata.namespace, owner.name)];
      }),
  };
}

/**
 * Watches objects without a controller. Each event leads to a reconcile of every `owner` whose selector
 * matches the object.
 */
export function watchOrphans(
  access: ClusterAccess,
  resource: ResourceName,
  owners: ResourceName,
): WatchedResource {
  return {
    resource,
    keysFor: ({ object }) =>
      controllerOf(object) !== undefined
        ? []
        : access
            .list(owners, object.metadata.namespace)
            .filter((owner) => selectorOf(owner)(object))
            .map((owner) => objectKey(owner.metadata.namespace, owner.metadata.name)),
  };
}

/**
 * Matches the labels of an object against `spec.selector` of `owner`. An empty or invalid selector
 * matches nothing.
 */
function selectorOf(owner: StoredObject): (object: StoredObject) => boolean {
  const { selector } = (owner.spec ?? {}) as { selector?: LabelSelector };
  const requirements = selector === undefined ? [] : (storedSelector(selector) ?? []);
  return ({ metadata }) =>
    requirements.length > 0 && matchesSelector(requirements, metadata.labels);
}

/**
 * The objects of `resource` that `owner` manages. First, `owner` adopts matching objects without a
 * controller, and releases objects that its selector no longer matches.
 */
export function claimDependents(
  access: ClusterAccess,
  resource: ResourceName,
  owner: StoredObject,
): readonly StoredObject[] {
  const { uid, deletionTimestamp, namespace } = owner.metadata;
  const selects = selectorOf(owner);
  return access.list(resource, namespace).flatMap((object) => {
    const controller = controllerOf(object);
    if (controller !== undefined && controller.uid !== uid) return [];
    const isMatch = selects(object);
    if (controller !== undefined) {
      return isMatch || deletionTimestamp !== undefined
        ? [object]
        : release(access, resource, object, owner);
    }
    const isClaimable = isMatch && object.metadata.deletionTimestamp === undefined;
    if (!isClaimable || deletionTimestamp !== undefined) return [];
    const ownerReferences = [
      ...(object.metadata.ownerReferences ?? []),
      controllerReference(owner),
    ];
    return [patchMetadata(access, resource, object, { ownerReferences })];
  });
}

function release(
  access: ClusterAccess,
  resource: ResourceName,
  object: StoredObject,
  owner: StoredObject,
): readonly StoredObject[] {
  const { ownerReferences = [] } = object.metadata;
  const others = ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid);
  patchMetadata(access, resource, object, { ownerReferences: others.length > 0 ? others : null });
  return [];
}

/** Merges fields into the metadata of an object. */
export function patchMetadata(
  access: ClusterAccess,
  resource: ResourceName,
  { metadata }: StoredObject,
  patch: object,
): StoredObject {
  return access.patch(resource, metadata.namespace, metadata.name, { metadata: patch });
}
