import { valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { AGE, count, fact, itemsAt, joined, NAME, size, text, textsAt } from './cell.ts';
import { BOOLEAN, type Cell, column, INTEGER, type TableColumn, WIDE } from './column.ts';

const ACCESS_MODES: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

function accessModes(object: StoredObject, path: string): string {
  const modes = textsAt(object, path);
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

function phase(object: StoredObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return String(valueAt(object, ['status', 'phase']) ?? '');
}

/**
 * The name of the storage class, from an annotation or from `storageClassName`. The annotation is older than
 * the field, and still takes precedence.
 */
function storageClass(object: StoredObject): string {
  const annotation = object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  return annotation ?? String(valueAt(object, ['spec', 'storageClassName']) ?? '');
}

function claimCapacity(claim: StoredObject): string {
  if (!valueAt(claim, ['spec', 'volumeName'])) return '';
  return String(valueAt(claim, ['status', 'capacity', 'storage']) ?? '0');
}

function claimModes(claim: StoredObject): string {
  return valueAt(claim, ['spec', 'volumeName']) ? accessModes(claim, 'status.accessModes') : '';
}

function claimOf(volume: StoredObject): string {
  const reference = valueAt(volume, ['spec', 'claimRef']);
  if (reference === undefined) return '';
  return `${valueAt(reference, ['namespace']) ?? ''}/${valueAt(reference, ['name']) ?? ''}`;
}

const DEFAULT_CLASS: readonly string[] = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

function className({ metadata }: StoredObject): string {
  const isDefault = DEFAULT_CLASS.some((name) => metadata.annotations?.[name] === 'true');
  return isDefault ? `${metadata.name} (default)` : String(metadata.name);
}

function audiences(driver: StoredObject): string {
  if (valueAt(driver, ['spec', 'tokenRequests']) === undefined) return '<unset>';
  return itemsAt(driver, 'spec.tokenRequests')
    .map(({ audience }) => audience)
    .join(',');
}

const volumeMode: Cell = text('spec.volumeMode', '<unset>');
const attributesClass: Cell = text('spec.volumeAttributesClassName', '<unset>');

/** The columns of the kinds for storage, such as PersistentVolume. */
export const STORAGE_COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  PersistentVolume: [
    NAME,
    column('Capacity', text('spec.capacity.storage', '0')),
    column('Access Modes', (volume) => accessModes(volume, 'spec.accessModes')),
    column('Reclaim Policy', text('spec.persistentVolumeReclaimPolicy')),
    column('Status', phase),
    column('Claim', claimOf),
    column('StorageClass', storageClass),
    column('VolumeAttributesClass', attributesClass),
    column('Reason', text('status.reason')),
    AGE,
    column('VolumeMode', volumeMode, WIDE),
  ],
  PersistentVolumeClaim: [
    NAME,
    column('Status', phase),
    column('Volume', text('spec.volumeName')),
    column('Capacity', claimCapacity),
    column('Access Modes', claimModes),
    column('StorageClass', storageClass),
    column('VolumeAttributesClass', attributesClass),
    AGE,
    column('VolumeMode', volumeMode, WIDE),
  ],
  StorageClass: [
    { ...NAME, cell: className },
    column('Provisioner', text('provisioner')),
    column('ReclaimPolicy', text('reclaimPolicy', 'Delete')),
    column('VolumeBindingMode', text('volumeBindingMode', 'Immediate')),
    column('AllowVolumeExpansion', fact('allowVolumeExpansion')),
    AGE,
  ],
  VolumeAttributesClass: [NAME, column('DriverName', text('driverName')), AGE],
  VolumeAttachment: [
    NAME,
    column('Attacher', text('spec.attacher'), { format: 'name' }),
    column('PV', text('spec.source.persistentVolumeName')),
    column('Node', text('spec.nodeName')),
    column('Attached', fact('status.attached'), BOOLEAN),
    AGE,
  ],
  CSINode: [NAME, column('Drivers', size('spec.drivers'), INTEGER), AGE],
  CSIDriver: [
    NAME,
    column('AttachRequired', fact('spec.attachRequired', true), BOOLEAN),
    column('PodInfoOnMount', fact('spec.podInfoOnMount'), BOOLEAN),
    column('StorageCapacity', fact('spec.storageCapacity'), BOOLEAN),
    column('TokenRequests', audiences),
    column('RequiresRepublish', fact('spec.requiresRepublish'), BOOLEAN),
    column('Modes', joined('spec.volumeLifecycleModes', '<none>')),
    AGE,
  ],
  CSIStorageCapacity: [
    NAME,
    column('StorageClassName', text('storageClassName')),
    column('Capacity', text('capacity', '<unset>')),
  ],
  DeviceClass: [NAME, AGE],
  ResourceClaim: [NAME, column('State', claimState), AGE],
  ResourceClaimTemplate: [NAME, AGE],
  ResourceSlice: [
    NAME,
    column('Node', text('spec.nodeName')),
    column('Driver', text('spec.driver')),
    column('Pool', text('spec.pool.name')),
    AGE,
  ],
  PriorityClass: [
    NAME,
    column('Value', count('value'), INTEGER),
    column('Global-Default', fact('globalDefault'), BOOLEAN),
    AGE,
    column('PreemptionPolicy', text('preemptionPolicy')),
  ],
};

function claimState(claim: StoredObject): string {
  const states: string[] = [];
  const deleted = claim.metadata.deletionTimestamp !== undefined;
  if (deleted) states.push('deleted');
  if (valueAt(claim, ['status', 'allocation']) === undefined) {
    if (!deleted) states.push('pending');
  } else {
    states.push('allocated');
    if (itemsAt(claim, 'status.reservedFor').length > 0) states.push('reserved');
  }
  return states.join(',');
}
