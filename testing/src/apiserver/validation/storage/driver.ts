import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type ChangeCheck, changed } from '../fields/change.ts';
import { type Check, fields, isEmpty, itemsOf, notNegative } from '../fields/check.ts';
import { dnsSubdomain, labelKey } from '../fields/formats.ts';
import { internalJson } from '../fields/internal-json.ts';
import {
  duplicate,
  forbidden,
  IMMUTABLE,
  invalidShown,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from '../fields/problem.ts';
import { inlineVolume } from './volume.ts';
import { driverName } from './volume-source.ts';

const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLES = ['Persistent', 'Ephemeral'];
const LEAST_PERIOD_SECONDS = 10;
const LEAST_TOKEN_SECONDS = 600;

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

/** The problems of a CSIDriver. */
export function csiDriver(object: StoredObject): readonly Problem[] {
  const spec = specOf(object);
  const { fsGroupPolicy, nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const modes = Array.isArray(spec.volumeLifecycleModes) ? spec.volumeLifecycleModes : [];
  const isShort = typeof period === 'number' && period < LEAST_PERIOD_SECONDS;
  const why = `must be greater than or equal to ${LEAST_PERIOD_SECONDS} seconds`;
  return [
    ...(fsGroupPolicy === undefined || GROUP_POLICIES.includes(String(fsGroupPolicy))
      ? []
      : [notSupported('spec.fsGroupPolicy', fsGroupPolicy, GROUP_POLICIES)]),
    ...tokenRequests(spec.tokenRequests, 'spec.tokenRequests'),
    ...modes
      .filter((mode) => !LIFECYCLES.includes(String(mode)))
      .map((mode) => notSupported('spec.volumeLifecycleModes', mode, LIFECYCLES)),
    ...(isShort ? [invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, why)] : []),
    ...tokenInSecrets(spec, 'spec.serviceAccountTokenInSecrets'),
  ];
}

/** Refuses token requests with the same audience. An empty audience means the audience of the API server. */
function tokenRequests(value: unknown, field: string): readonly Problem[] {
  const seen = new Set<unknown>();
  return itemsOf(value).flatMap(({ audience = '', expirationSeconds }, at) => {
    if (seen.has(audience)) return [duplicate(`${field}[${at}].audience`, audience)];
    seen.add(audience);
    if (expirationSeconds === undefined) return [];
    const path = `${field}[${at}].expirationSeconds`;
    const seconds = Number(expirationSeconds);
    if (seconds < LEAST_TOKEN_SECONDS) {
      const why = 'may not specify a duration less than 10 minutes';
      return [invalidValue(path, expirationSeconds, why)];
    }
    if (seconds <= 2 ** 32) return [];
    const why = 'may not specify a duration larger than 2^32 seconds';
    return [invalidValue(path, expirationSeconds, why)];
  });
}

function tokenInSecrets(spec: Json, field: string): readonly Problem[] {
  const { serviceAccountTokenInSecrets: isIn, tokenRequests: requests } = spec;
  if (isIn === undefined || !isEmpty(requests)) return [];
  const why = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  return [invalidValue(field, isIn, why)];
}

export const changedCsiDriver: ChangeCheck = (object, previous) => {
  const problem = (name: string, field: string): readonly Problem[] =>
    changed(object, previous, ['spec', name])
      ? [invalidValue(`spec.${field}`, specOf(object)[name], IMMUTABLE)]
      : [];
  return [
    // The server's message spells the name like this.
    ...problem('attachRequired', 'attachedRequired'),
    ...problem('volumeLifecycleModes', 'volumeLifecycleModes'),
  ];
};

const MAX_NODE_ID = 256;

const nodeDriver: Check = fields({ name: driverName }, ({ nodeID = '', allocatable }, field) => {
  const at = `${field}.nodeID`;
  const isLong = Buffer.byteLength(String(nodeID)) > MAX_NODE_ID;
  return [
    ...(nodeID === '' ? [required(at)] : []),
    ...(isLong ? [invalidValue(at, nodeID, `must be ${MAX_NODE_ID} characters or less`)] : []),
    ...fields({ count: notNegative })(allocatable, `${field}.allocatable`),
  ];
});

/** The problems of a CSINode. */
export function csiNode(object: StoredObject): readonly Problem[] {
  const names = new Set<unknown>();
  return itemsOf(specOf(object).drivers).flatMap((driver, at) => {
    const field = `spec.drivers[${at}]`;
    const isKnown = names.has(driver.name);
    names.add(driver.name);
    return [
      ...nodeDriver(driver, field),
      ...(isKnown ? [duplicate(`${field}.name`, driver.name)] : []),
      ...topologyKeys(driver.topologyKeys, field),
    ];
  });
}

function topologyKeys(value: unknown, field: string): readonly Problem[] {
  const keys = Array.isArray(value) ? value.map(String) : [];
  return keys.flatMap((key, at) => [
    ...(key === '' ? [required(field)] : []),
    ...(keys.indexOf(key) < at ? [duplicate(field, key)] : []),
    ...labelKey(key).map((why) => invalidValue(field, key, why)),
  ]);
}

/**
 * Refuses changes of a driver in the list of a node's drivers. Only its number of volumes may change. Drivers
 * may be added and removed.
 */
export const changedCsiNode: ChangeCheck = (object, previous) => {
  const now = itemsOf(specOf(object).drivers);
  return itemsOf(specOf(previous).drivers).flatMap((before) =>
    now
      .filter(({ name }) => name === before.name)
      .filter((driver) => !isDeepStrictEqual(withoutCount(driver), withoutCount(before)))
      .map((driver) => {
        const shown = internalJson('io.k8s.api.storage.v1.CSINodeDriver', withoutCount(driver));
        return invalidShown('spec.drivers', shown, IMMUTABLE);
      }),
  );
};

function withoutCount({ allocatable: _, ...driver }: Json): Json {
  return driver;
}

/** The problems of a VolumeAttachment. */
export function volumeAttachment(object: StoredObject): readonly Problem[] {
  const { attacher, source, nodeName = '' } = specOf(object);
  return [
    ...driverName(attacher, 'spec.attacher'),
    ...attachmentSource(isObject(source) ? source : {}, 'spec.source'),
    ...dnsSubdomain(String(nodeName)).map((why) => invalidValue('spec.nodeName', nodeName, why)),
    ...volumeName(isObject(source) ? source.persistentVolumeName : undefined),
  ];
}

function attachmentSource(source: Json, field: string): readonly Problem[] {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  const why = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inline === undefined && name === undefined) return [required(field, why)];
  if (inline !== undefined && name !== undefined) return [forbidden(field, why)];
  if (isObject(inline)) return inlineVolume(inline, `${field}.inlineVolumeSpec`);
  if (name !== '') return [];
  const empty = 'must specify non empty persistentVolumeName';
  return [required(`${field}.persistentVolumeName`, empty)];
}

function volumeName(name: unknown): readonly Problem[] {
  if (name === undefined) return [];
  const field = 'spec.source.persistentVolumeName';
  return dnsSubdomain(String(name)).map((why) => invalidValue(field, name, why));
}

export const changedVolumeAttachment: ChangeCheck = (object, previous) => {
  if (!changed(object, previous, ['spec'])) return [];
  const shown = internalJson('io.k8s.api.storage.v1.VolumeAttachmentSpec', object.spec);
  return [invalidShown('spec', shown, IMMUTABLE)];
};
