import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import { quantityNanos } from '../../objects/quantity.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type ChangeCheck, immutable } from '../fields/change.ts';
import { formed, isEmpty, maybeOneOf, needed } from '../fields/check.ts';
import { dnsSubdomain } from '../fields/formats.ts';
import { nodeSelector } from '../fields/node-selector.ts';
import {
  forbidden,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from '../fields/problem.ts';
import { positiveQuantity } from '../fields/resources.ts';
import { specDifference } from '../fields/spec-difference.ts';
import { supportedModes, volumeMode } from './claim.ts';
import { SOURCE_FIELDS, sourceProblems } from './volume-source.ts';

const NANOS = 1_000_000_000n;

/** The problems of a PersistentVolume. */
export function volume({ metadata, spec }: StoredObject): readonly Problem[] {
  const of = isObject(spec) ? spec : {};
  const at = 'spec';
  return [
    ...needed()(of.accessModes, `${at}.accessModes`),
    ...supportedModes(of.accessModes, `${at}.accessModes`),
    ...capacity(of.capacity, `${at}.capacity`),
    ...maybeOneOf(
      'Delete',
      'Recycle',
      'Retain',
    )(of.persistentVolumeReclaimPolicy, `${at}.persistentVolumeReclaimPolicy`),
    ...affinity(of.nodeAffinity, `${at}.nodeAffinity`),
    ...sourceProblems(of, metadata.name, at, isObject(of.nodeAffinity)),
    ...recycling(of, at),
    ...formed(dnsSubdomain)(of.storageClassName, `${at}.storageClassName`),
    ...volumeMode(of.volumeMode, `${at}.volumeMode`),
    ...attributesClass(of, at),
  ];
}

/**
 * Checks a volume that is defined inside another object. It must use a CSI driver, and must not use certain
 * features.
 */
export function inlineVolume(spec: Json, field: string): readonly Problem[] {
  const inline = 'in the context of inline volumes';
  const absent = (name: string): readonly Problem[] =>
    isEmpty(spec[name]) ? [] : [forbidden(`${field}.${name}`, `may not be specified ${inline}`)];
  const only = (name: string, value: string, why: string): readonly Problem[] =>
    isEmpty(spec[name]) || spec[name] === value ? [] : [forbidden(`${field}.${name}`, why)];
  const hasCapacity = isObject(spec.capacity) && Object.keys(spec.capacity).length > 0;
  return [
    ...absent('claimRef'),
    ...(hasCapacity ? absent('capacity') : []),
    ...(isObject(spec.csi) ? [] : [required(`${field}.csi`, `has to be specified ${inline}`)]),
    ...needed()(spec.accessModes, `${field}.accessModes`),
    ...supportedModes(spec.accessModes, `${field}.accessModes`),
    ...only('persistentVolumeReclaimPolicy', 'Retain', `may only be Retain ${inline}`),
    ...absent('nodeAffinity'),
    ...sourceProblems(spec, '', field, false),
    ...recycling(spec, field),
    ...absent('storageClassName'),
    ...only(
      'volumeMode',
      'Filesystem',
      `may not specify volumeMode other than Filesystem ${inline}`,
    ),
  ];
}

function capacity(value: unknown, field: string): readonly Problem[] {
  const amounts = isObject(value) ? value : {};
  const names = Object.keys(amounts);
  return [
    ...(names.length === 0 ? [required(field)] : []),
    ...(amounts.storage === undefined || names.length > 1
      ? [notSupported(field, isObject(value) ? value : null, ['storage'])]
      : []),
    ...names.flatMap((name) => amount(amounts[name], `${field}[${name}]`)),
  ];
}

/**
 * Requires a positive amount. A negative amount is reported twice, because two rules of the API server check
 * it.
 */
function amount(value: unknown, field: string): readonly Problem[] {
  // A negative amount is rounded down to a whole number.
  const nanos = quantityNanos(value) ?? 0n;
  const whole = nanos < 0n ? (nanos - NANOS + 1n) / NANOS : nanos / NANOS;
  const why = 'must be a valid resource quantity';
  return [
    ...(whole < 0n ? [invalidValue(field, whole, why)] : []),
    ...positiveQuantity(value, field),
  ];
}

function affinity(value: unknown, field: string): readonly Problem[] {
  if (!isObject(value)) return [];
  const at = `${field}.required`;
  if (!isObject(value.required)) return [required(at, 'must specify required node constraints')];
  return nodeSelector(value.required, at);
}

/** Refuses to recycle `/`, which would delete the whole disk of the node. */
function recycling(spec: Json, field: string): readonly Problem[] {
  const path = valueAt(spec, ['hostPath', 'path']);
  const isRoot = typeof path === 'string' && /^\/[/.]*$/.test(path) && !path.includes('...');
  if (!isRoot || spec.persistentVolumeReclaimPolicy !== 'Recycle') return [];
  const why = "may not be 'recycle' for a hostPath mount of '/'";
  return [forbidden(`${field}.persistentVolumeReclaimPolicy`, why)];
}

function attributesClass(spec: Json, field: string): readonly Problem[] {
  const { volumeAttributesClassName: name } = spec;
  if (name === undefined) return [];
  const at = `${field}.volumeAttributesClassName`;
  const why = 'has to be specified when using volumeAttributesClassName';
  return [
    ...(name === ''
      ? [required(at, 'an empty string is disallowed')]
      : formed(dnsSubdomain)(name, at)),
    ...(isObject(spec.csi) ? [] : [required(`${field}.csi`, why)]),
  ];
}

export const changedVolume: ChangeCheck = (object, previous) => {
  const [now, then] = [object.spec as Json, previous.spec as Json];
  const sources = (spec: Json): Json =>
    Object.fromEntries(SOURCE_FIELDS.map((name) => [name, spec[name]]));
  const problems: Problem[] = [];
  if (!isDeepStrictEqual(sources(withKnownSecret(now, then)), sources(then))) {
    const difference = specDifference('io.k8s.api.core.v1.PersistentVolumeSpec', then, now);
    const why = `spec.persistentvolumesource is immutable after creation\n${difference}`;
    problems.push(forbidden('spec.persistentvolumesource', why));
  }
  const mode = immutable(['spec.volumeMode'])(object, previous);
  return [...problems, ...mode.map((problem) => ({ ...problem, field: 'volumeMode' }))];
};

/**
 * Returns the new spec. If the former spec has no Secret for expanding the volume, this Secret is left out of
 * the new spec, because it may be added later.
 */
function withKnownSecret(now: Json, then: Json): Json {
  const had = valueAt(then, ['csi', 'controllerExpandSecretRef']);
  if (!isObject(now.csi) || had !== undefined) return now;
  const { controllerExpandSecretRef: _, ...csi } = now.csi;
  return { ...now, csi };
}
