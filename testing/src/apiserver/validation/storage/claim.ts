import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import { compareQuantities } from '../../objects/quantity.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type ChangeCheck, immutable } from '../fields/change.ts';
import { all, type Check, fields, formed, isEmpty, needed } from '../fields/check.ts';
import { dnsLabel, dnsSubdomain } from '../fields/formats.ts';
import { labelSelector } from '../fields/label-selector.ts';
import {
  forbidden,
  invalidShown,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from '../fields/problem.ts';
import { positiveQuantity } from '../fields/resources.ts';
import { specDifference } from '../fields/spec-difference.ts';
import { oneOfSet } from './volume-source.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

export function supportedModes(value: unknown, field: string): readonly Problem[] {
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

export const volumeMode: Check = oneOfSet(['Block', 'Filesystem']);

const namespaceOf: Check = fields({ namespace: formed(dnsLabel) });

/**
 * A claim has two fields for its data source. If both are set, they must be equal, and the newer field must
 * not contain a namespace.
 */
function twoSources({ dataSource: older, dataSourceRef: newer }: Json): readonly Problem[] {
  if (!isObject(older) || !isObject(newer)) return [];
  // These messages of the server contain `{}` where its other messages contain the value.
  if (!isEmpty(newer.namespace)) {
    return [
      invalidShown('spec', '{}', 'may not be specified when dataSourceRef.namespace is specified'),
    ];
  }
  const isSame = ['apiGroup', 'kind', 'name'].every((name) => older[name] === newer[name]);
  return isSame ? [] : [invalidShown('spec', '{}', 'must match dataSourceRef')];
}

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
      dataSourceRef: all(dataSource, namespaceOf),
    })(spec, 'spec'),
    ...twoSources(spec),
    ...formed(dnsSubdomain)(spec.volumeAttributesClassName, 'spec.volumeAttributesClassName'),
  ];
}

/** Refuses changes of a claim, except that it may be bound once, and that a bound claim may grow. */
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
  const mode = immutable(['spec.volumeMode'])(object, previous);
  return [
    ...problems,
    ...shrinking(now, then, object),
    ...mode.map((problem) => ({ ...problem, field: 'volumeMode' })),
    ...lostClass(now, then, previous),
  ];
};

/**
 * Refuses to remove `volumeAttributesClassName` from a claim whose status already reports a current class.
 */
function lostClass(now: Json, then: Json, previous: StoredObject): readonly Problem[] {
  const { volumeAttributesClassName: name } = now;
  const current = valueAt(previous, ['status', 'currentVolumeAttributesClassName']);
  if (current === undefined || !isEmpty(name) || name === then.volumeAttributesClassName) return [];
  const what = name === undefined ? 'nil' : 'empty string';
  const why = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbidden('spec.volumeAttributesClassName', why)];
}

/**
 * The spec before or after the change. All fields that the change may set get the same values in both specs.
 * If the two specs still differ, the change is refused.
 */
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
