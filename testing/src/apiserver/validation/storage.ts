import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import { compareQuantities } from '../objects/quantity.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { type ChangeCheck, changed, immutable } from './fields/change.ts';
import { type Check, fields, formed, isEmpty, maybeOneOf, needed } from './fields/check.ts';
import { dnsSubdomain, labelKey } from './fields/formats.ts';
import { labelSelector } from './fields/label-selector.ts';
import { forbidden, invalidValue, notSupported, type Problem, required } from './fields/problem.ts';
import { positiveQuantity } from './fields/resources.ts';
import { specDifference } from './fields/spec-difference.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

function supportedModes(value: unknown, field: string): readonly Problem[] {
  const modes = Array.isArray(value) ? value.map(String) : [];
  const wrong = modes.filter((mode) => !ACCESS_MODES.includes(mode));
  const problems = wrong.map((mode) => notSupported(field, mode, ACCESS_MODES));
  const alone = modes.includes('ReadWriteOncePod');
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (!alone || !others) return problems;
  return [...problems, forbidden(field, 'may not use ReadWriteOncePod with other access modes')];
}

function storageRequest(value: unknown, field: string): readonly Problem[] {
  const storage = valueAt(value, ['requests', 'storage']);
  if (storage === undefined) return [required(`${field}[storage]`)];
  return positiveQuantity(storage, `${field}[storage]`);
}

const volumeMode = maybeOneOf('Block', 'Filesystem');

const dataSource: Check = fields(
  { name: needed(), kind: needed() },
  ({ kind, apiGroup }, field) => {
    const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    if (isEmpty(apiGroup) && kind !== 'PersistentVolumeClaim') {
      return [invalidValue(field, kind ?? '', why)];
    }
    return formed(dnsSubdomain)(apiGroup, `${field}.apiGroup`);
  },
);

export function claim(object: StoredObject): readonly Problem[] {
  const spec = specOf(object);
  const at = 'spec.accessModes';
  return [
    ...needed('at least 1 access mode is required')(spec.accessModes, at),
    ...labelSelector(spec.selector, 'spec.selector'),
    ...supportedModes(spec.accessModes, at),
    ...storageRequest(spec.resources ?? {}, 'spec.resources'),
    ...fields({
      storageClassName: formed(dnsSubdomain),
      volumeMode,
      dataSource,
      dataSourceRef: dataSource,
      volumeAttributesClassName: formed(dnsSubdomain),
    })(spec, 'spec'),
  ];
}

/** A claim stays as it was, but may be bound once, and grow when it is bound. */
export const changedClaim: ChangeCheck = (object, previous) => {
  const [now, then] = [specOf(object), specOf(previous)];
  const bound = valueAt(object, ['status', 'phase']) === 'Bound';
  const [expected, found] = [settled(then, now, bound), settled(now, now, bound)];
  const problems: Problem[] = [];
  if (!isDeepStrictEqual(expected, found)) {
    const difference = specDifference('io.k8s.api.core.v1.PersistentVolumeClaimSpec', then, now);
    const why = `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${difference}`;
    problems.push(forbidden('spec', why));
  }
  return [...problems, ...shrinking(now, then, object)];
};

/** The spec without what this change may do. */
function settled(spec: Json, now: Json, bound: boolean): Json {
  const kept: Record<string, unknown> = { ...spec };
  if (isEmpty(kept.volumeName)) kept.volumeName = now.volumeName;
  if (kept.storageClassName === undefined) kept.storageClassName = now.storageClassName;
  if (!bound) return kept;
  const requests = valueAt(spec, ['resources', 'requests']);
  const resources = isObject(spec.resources) ? spec.resources : {};
  kept.resources = {
    ...resources,
    requests: { ...(isObject(requests) ? requests : {}), storage: '' },
  };
  kept.volumeAttributesClassName = '';
  return kept;
}

function shrinking(now: Json, then: Json, object: StoredObject): readonly Problem[] {
  const path = ['resources', 'requests', 'storage'];
  const size = valueAt(now, path);
  if (compareQuantities(size, valueAt(then, path)) !== -1) return [];
  const had = valueAt(object, ['status', 'capacity', 'storage']) ?? '0';
  if ((compareQuantities(size, had) ?? 0) > 0) return [];
  return [forbidden(`spec.${path.join('.')}`, 'field can not be less than status.capacity')];
}

/** What a volume can be made of. */
const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

function capacity(value: unknown, field: string): readonly Problem[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [required(field)];
  if (value.storage === undefined || Object.keys(value).length > 1) {
    return [notSupported(field, value, ['storage'])];
  }
  return positiveQuantity(value.storage, `${field}[storage]`);
}

export function volume(object: StoredObject): readonly Problem[] {
  const spec = specOf(object);
  const [first, ...others] = SOURCES.filter((name) => isObject(spec[name]));
  return [
    ...needed()(spec.accessModes, 'spec.accessModes'),
    ...supportedModes(spec.accessModes, 'spec.accessModes'),
    ...capacity(spec.capacity, 'spec.capacity'),
    ...maybeOneOf(
      'Delete',
      'Recycle',
      'Retain',
    )(spec.persistentVolumeReclaimPolicy, 'spec.persistentVolumeReclaimPolicy'),
    ...(first === undefined ? [required('spec', 'must specify a volume type')] : []),
    ...others.map((name) => forbidden(`spec.${name}`, 'may not specify more than 1 volume type')),
    ...formed(dnsSubdomain)(spec.storageClassName, 'spec.storageClassName'),
    ...volumeMode(spec.volumeMode, 'spec.volumeMode'),
  ];
}

export const changedVolume: ChangeCheck = (object, previous) => {
  const [now, then] = [specOf(object), specOf(previous)].map((spec) =>
    Object.fromEntries(SOURCES.map((name) => [name, spec[name]])),
  );
  const problems: Problem[] = [];
  if (!isDeepStrictEqual(now, then)) {
    const difference = specDifference('io.k8s.api.core.v1.PersistentVolumeSpec', then, now);
    const why = `spec.persistentvolumesource is immutable after creation\n${difference}`;
    problems.push(forbidden('spec.persistentvolumesource', why));
  }
  const mode = immutable(['spec.volumeMode'])(object, previous);
  return [...problems, ...mode.map((problem) => ({ ...problem, field: 'volumeMode' }))];
};

export function storageClass(object: StoredObject): readonly Problem[] {
  const { provisioner, reclaimPolicy, volumeBindingMode } = object;
  return [
    ...(isEmpty(provisioner)
      ? [required('provisioner', '')]
      : formed((text) => labelKey(text.toLowerCase()))(provisioner, 'provisioner')),
    ...maybeOneOf('Delete', 'Retain')(reclaimPolicy, 'reclaimPolicy'),
    ...maybeOneOf('Immediate', 'WaitForFirstConsumer')(volumeBindingMode, 'volumeBindingMode'),
  ];
}

export const changedStorageClass: ChangeCheck = (object, previous) => [
  ...['parameters', 'provisioner']
    .filter((field) => changed(object, previous, [field]))
    .map((field) => forbidden(field, `updates to ${field} are forbidden.`)),
  ...immutable(['reclaimPolicy', 'volumeBindingMode'])(object, previous),
];
