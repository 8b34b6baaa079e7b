import { type Json, withFields, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

const WRITABLE = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** Built-in kinds whose status is written without any of the metadata (Go: PrepareForUpdate of their status). */
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

/** What else keeps its value. */
const KEPT: Readonly<Record<string, (typeof WRITABLE)[number]>> = {
  Deployment: 'labels',
  // Kubelets of old times have broken owner references.
  Pod: 'ownerReferences',
};

/**
 * An object after a write of its status. The status of most built-in kinds is written together with labels,
 * annotations, finalizers and owner references: that is how a controller removes its finalizer along with a status.
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
