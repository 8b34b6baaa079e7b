import { isObject } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type ChangeCheck, changed, immutable } from '../fields/change.ts';
import { type Check, formed, isEmpty, maybeOneOf } from '../fields/check.ts';
import { dnsSubdomain, labelKey } from '../fields/formats.ts';
import { labelSelector } from '../fields/label-selector.ts';
import { topologies } from '../fields/node-selector.ts';
import {
  forbidden,
  IMMUTABLE,
  invalidValue,
  type Problem,
  required,
  shownMap,
  tooLong,
} from '../fields/problem.ts';
import { notNegativeQuantity } from '../fields/resources.ts';
import { oneOfSet } from './volume-source.ts';

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

/** Requires the name of a volume provisioner. */
const provisioner: Check = (value, field) =>
  isEmpty(value)
    ? [required(field)]
    : formed((text) => labelKey(text.toLowerCase()))(String(value).toLowerCase(), field);

const parameters: Check = (value, field) => {
  const entries = Object.entries(isObject(value) ? value : {});
  if (entries.length > MAX_PARAMETERS) return [tooLong(field, MAX_PARAMETERS)];
  const bytes = entries
    .flat()
    .reduce<number>((sum, text) => sum + Buffer.byteLength(String(text)), 0);
  return [
    ...entries
      .filter(([name]) => name === '')
      .map(() => invalidValue(field, '', 'field can not be empty.')),
    ...(bytes > MAX_PARAMETER_BYTES ? [tooLong(field, MAX_PARAMETER_BYTES)] : []),
  ];
};

export function storageClass(object: StoredObject): readonly Problem[] {
  return [
    ...provisioner(object.provisioner, 'provisioner'),
    ...parameters(object.parameters, 'parameters'),
    ...maybeOneOf('Delete', 'Retain')(object.reclaimPolicy, 'reclaimPolicy'),
    ...oneOfSet(['Immediate', 'WaitForFirstConsumer'])(
      object.volumeBindingMode,
      'volumeBindingMode',
    ),
    ...topologies(object.allowedTopologies, 'allowedTopologies'),
  ];
}

export const changedStorageClass: ChangeCheck = (object, previous) => [
  ...immutable(['parameters'], shownMap)(object, previous),
  ...immutable(['provisioner', 'reclaimPolicy', 'volumeBindingMode'])(object, previous),
];

export function volumeAttributesClass(object: StoredObject): readonly Problem[] {
  const isEmptyMap = Object.keys(isObject(object.parameters) ? object.parameters : {}).length === 0;
  return [
    ...provisioner(object.driverName, 'driverName'),
    ...parameters(object.parameters, 'parameters'),
    ...(isEmptyMap ? [required('parameters', 'must contain at least one key/value pair')] : []),
  ];
}

export const changedAttributesClass: ChangeCheck = (object, previous) =>
  ['driverName', 'parameters']
    .filter((field) => changed(object, previous, [field]))
    .map((field) => forbidden(field, `updates to ${field} are forbidden.`));

/** The problems of a CSIStorageCapacity. */
export function storageCapacity(object: StoredObject): readonly Problem[] {
  const { nodeTopology, storageClassName = '', capacity } = object;
  return [
    ...labelSelector(nodeTopology, 'nodeTopology'),
    ...dnsSubdomain(String(storageClassName)).map((why) =>
      invalidValue('storageClassName', storageClassName, why),
    ),
    ...notNegativeQuantity(capacity, 'capacity'),
  ];
}

export const changedStorageCapacity: ChangeCheck = (object, previous) =>
  ['nodeTopology', 'storageClassName']
    .filter((field) => changed(object, previous, [field]))
    .map((field) => invalidValue(field, object[field], IMMUTABLE));
