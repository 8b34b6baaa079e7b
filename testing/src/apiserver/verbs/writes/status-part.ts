import { type Json, withFields, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

const WRITABLE = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/**
 * Built-in kinds for which a write of the status changes no metadata (Go: `PrepareForUpdate` of the status
 * strategy).
 */
const STATUS_ALONE: ReadonlySet<string> = new Set([
  'APIService',
  'DeviceTaintRule',
  'FlowSchema',
  'PodCertificateRequest',
  'PodGroup',
  'PriorityLevelConfiguration',
  'ResourceClaim',
  'ResourcePoolStatusRequest',
  'ServiceCIDR',
  'StorageVersion',
  'StorageVersionMigration',
  'ValidatingAdmissionPolicy',
  'VolumeAttachment',
]);

/** For each of these kinds, a metadata field that a write of the status cannot change. */
const KEPT: Readonly<Record<string, (typeof WRITABLE)[number]>> = {
  Deployment: 'labels',
  // Old kubelets send invalid owner references.
  Pod: 'ownerReferences',
};

/**
 * An object after a write of its status. For most built-in kinds, labels, annotations, finalizers
 * and owner references are written with the status. A controller can thus remove its finalizer
 * together with a status.
 */
export function withStatusOf(
  stored: StoredObject,
  wanted: StoredObject,
  { custom, kind }: ServedResource,
): StoredObject {
  const changed = withFields(stored, { status: wanted.status });
  if (custom || STATUS_ALONE.has(kind)) return changed;
  const written = WRITABLE.filter((field) => KEPT[kind] !== field);
  const metadata: Json = Object.fromEntries(
    written.map((field) => [field, wanted.metadata[field]]),
  );
  return withMetadata(changed, metadata);
}
