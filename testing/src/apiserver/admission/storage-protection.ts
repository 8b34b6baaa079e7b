import { ApiError, objectKey } from 'chancery/internal-objects';
import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterAccess } from '../cluster/cluster-access.ts';
import { isObject, valueAt, withMetadata } from '../objects/metadata.ts';
import type { CommittedEvent, ResourceName, StoredObject } from '../objects/stored-object.ts';
import type { Storage } from '../storage/storage.ts';

const CLAIMS: ResourceName = 'persistentvolumeclaims';
const VOLUMES: ResourceName = 'persistentvolumes';
const CLASSES: ResourceName = 'volumeattributesclasses.storage.k8s.io';

interface Protection {
  readonly resource: ResourceName;
  readonly finalizer: string;
  isUsed(storage: Storage, object: StoredObject): boolean;
}

/**
 * Kinds whose objects are kept while they are in use (admission plugin
 * StorageObjectInUseProtection).
 */
const PROTECTIONS: Readonly<Record<string, Protection>> = {
  PersistentVolumeClaim: {
    resource: CLAIMS,
    finalizer: 'kubernetes.io/pvc-protection',
    isUsed: (storage, { metadata }) =>
      storage.list('pods', metadata.namespace).some((pod) => uses(pod, metadata.name)),
  },
  PersistentVolume: {
    resource: VOLUMES,
    finalizer: 'kubernetes.io/pv-protection',
    isUsed: (_, volume) => valueAt(volume, ['status', 'phase']) === 'Bound',
  },
  VolumeAttributesClass: {
    resource: CLASSES,
    finalizer: 'kubernetes.io/vac-protection',
    isUsed: (storage, { metadata: { name } }) =>
      [...storage.list(VOLUMES), ...storage.list(CLAIMS)].some((object) => names(object, name)),
  },
};

/** True for a Pod that is assigned to a node and has a volume of this claim. */
function uses({ metadata, spec }: StoredObject, claim: string): boolean {
  const { nodeName, volumes } = isObject(spec) ? spec : {};
  if (!nodeName || !Array.isArray(volumes)) return false;
  const isShutDown =
    metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
  return volumes.some(
    (volume) =>
      valueAt(volume, ['persistentVolumeClaim', 'claimName']) === claim ||
      (!isShutDown && isObject(volume.ephemeral) && `${metadata.name}-${volume.name}` === claim),
  );
}

function names(object: StoredObject, name: string): boolean {
  return [
    ['spec', 'volumeAttributesClassName'],
    ['status', 'currentVolumeAttributesClassName'],
    ['status', 'modifyVolumeStatus', 'targetVolumeAttributesClassName'],
  ].some((path) => valueAt(object, path) === name);
}

/** Adds the finalizer that protects a new object. */
export function withProtection(object: StoredObject): StoredObject {
  const finalizer = PROTECTIONS[object.kind]?.finalizer;
  const { finalizers = [] } = object.metadata;
  if (finalizer === undefined || finalizers.includes(finalizer)) return object;
  return withMetadata(object, { finalizers: [...finalizers, finalizer] });
}

/**
 * Removes the finalizer from protected objects that are being deleted, as soon as a write has made them
 * unused. In a real cluster, three controllers do this.
 *
 * @returns a function that stops removing finalizers.
 */
export function releaseProtected(
  { storage }: Pick<Cluster, 'storage'>,
  access: ClusterAccess,
): () => void {
  return storage.subscribe((resource: ResourceName, event: CommittedEvent) => {
    for (const object of goingAfter(storage, resource, event)) release(storage, access, object);
  });
}

/** Protected objects that are being deleted, and that may be unused after this event. */
function goingAfter(
  storage: Storage,
  resource: ResourceName,
  { type, object }: CommittedEvent,
): readonly StoredObject[] {
  const going = (of: ResourceName, namespace?: string): readonly StoredObject[] =>
    storage.list(of, namespace).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (resource === 'pods')
    return hasVolumes(object) ? going(CLAIMS, object.metadata.namespace) : [];
  if (resource !== CLAIMS && resource !== VOLUMES && resource !== CLASSES) return [];
  return [...(type === 'DELETED' ? [] : [object]), ...(resource === CLASSES ? [] : going(CLASSES))];
}

function hasVolumes({ spec }: StoredObject): boolean {
  return isObject(spec) && Array.isArray(spec.volumes) && spec.volumes.length > 0;
}

function release(storage: Storage, access: ClusterAccess, { kind, metadata }: StoredObject): void {
  const protection = PROTECTIONS[kind];
  const { namespace, name } = metadata;
  const object = protection && storage.get(protection.resource, objectKey(namespace, name));
  if (protection === undefined || object?.metadata.deletionTimestamp === undefined) return;
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(protection.finalizer) || protection.isUsed(storage, object)) return;
  const others = finalizers.filter((finalizer) => finalizer !== protection.finalizer);
  const patch = { metadata: { finalizers: others.length > 0 ? others : null } };
  try {
    access.patch(protection.resource, namespace, name, patch);
  } catch (error) {
    // As in a real cluster, a policy may refuse this write. The object is then not removed.
    if (!(error instanceof ApiError)) throw error;
  }
}
