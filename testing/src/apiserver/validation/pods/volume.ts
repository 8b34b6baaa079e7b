import { isObject, type Json } from '../../objects/metadata.ts';
import {
  all,
  type Check,
  each,
  fields,
  formed,
  isEmpty,
  itemsOf,
  must,
  needed,
  uniqueBy,
} from '../fields/check.ts';
import { dataKey, dnsLabel, dnsSubdomain } from '../fields/formats.ts';
import { forbidden, invalidValue, type Problem, required } from '../fields/problem.ts';
import { notNegativeQuantity } from '../fields/resources.ts';
import { driverName, iscsiOfPod, noBacksteps, SHARED_SOURCES } from '../storage/volume-source.ts';
import { fieldOf, resourceField } from './environment.ts';

/** Requires file permissions from 0 to octal 0777. */
const fileMode: Check = (value, field) =>
  typeof value === 'number' && (value < 0 || value > 0o777)
    ? [invalidValue(field, value, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];

/** Requires a relative path that stays inside the volume. */
export function localPath(value: unknown, field: string): readonly Problem[] {
  const path = String(value ?? '');
  if (path.startsWith('/')) return [invalidValue(field, path, 'must be a relative path')];
  return noBacksteps(path, field);
}

const keyToPath: Check = fields({
  key: needed(),
  path: must((value, field) => [
    ...localPath(value, field),
    ...(String(value).startsWith('..') && !String(value).startsWith('../')
      ? [invalidValue(field, value, "must not start with '..'")]
      : []),
  ]),
  mode: fileMode,
});

const DOWNWARD_PATHS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/**
 * Checks the files of a downward API volume. The server reports their problems at the path of the volume,
 * without an index.
 */
const downwardFiles: Check = fields({}, ({ items }, field) =>
  itemsOf(items).flatMap((item) => downwardFile(item, field)),
);

const downwardFile: Check = fields(
  { path: must(localPath), fieldRef: fieldOf(DOWNWARD_PATHS), resourceFieldRef: resourceField },
  ({ fieldRef, resourceFieldRef }, field) => {
    if (fieldRef === undefined && resourceFieldRef === undefined) {
      return [required(field, 'one of fieldRef and resourceFieldRef is required')];
    }
    if (fieldRef === undefined || resourceFieldRef === undefined) return [];
    const why = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    return [invalidValue(field, 'resource', why)];
  },
  ({ mode }, field) => fileMode(mode, `${field}.mode`),
);

const projection: Check = fields({
  secret: fields({ name: needed(), items: each(keyToPath) }),
  configMap: fields({ name: needed(), items: each(keyToPath) }),
  downwardAPI: downwardFiles,
  serviceAccountToken: fields({
    expirationSeconds: (value, field) =>
      typeof value === 'number' && value < 600
        ? [invalidValue(field, value, 'may not specify a duration less than 10 minutes')]
        : [],
    path: must(localPath),
  }),
});

/** The fields that can hold the source of a volume, in the server's order, and the check for each. */
const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: fields({ sizeLimit: notNegativeQuantity }),
  hostPath: SHARED_SOURCES.hostPath,
  gitRepo: fields({ repository: needed(), directory: localPath }),
  gcePersistentDisk: (disk, field) =>
    SHARED_SOURCES.gcePersistentDisk(disk, field.replace(/gcePersistentDisk$/, 'persistentDisk')),
  awsElasticBlockStore: SHARED_SOURCES.awsElasticBlockStore,
  secret: fields({ secretName: needed(), defaultMode: fileMode, items: each(keyToPath) }),
  nfs: SHARED_SOURCES.nfs,
  iscsi: () => [], // checked elsewhere, with the name of the volume
  glusterfs: fields({ endpoints: needed(), path: needed() }),
  flocker: SHARED_SOURCES.flocker,
  persistentVolumeClaim: fields({ claimName: needed() }),
  rbd: SHARED_SOURCES.rbd,
  cinder: fields({ volumeID: needed(), secretRef: fields({ name: needed() }) }),
  cephfs: SHARED_SOURCES.cephfs,
  quobyte: SHARED_SOURCES.quobyte,
  downwardAPI: all(fields({ defaultMode: fileMode }), downwardFiles),
  fc: SHARED_SOURCES.fc,
  flexVolume: SHARED_SOURCES.flexVolume,
  configMap: fields({ name: needed(), defaultMode: fileMode, items: each(keyToPath) }),
  azureFile: fields({ secretName: needed(), shareName: needed() }),
  vsphereVolume: SHARED_SOURCES.vsphereVolume,
  photonPersistentDisk: SHARED_SOURCES.photonPersistentDisk,
  portworxVolume: SHARED_SOURCES.portworxVolume,
  azureDisk: SHARED_SOURCES.azureDisk,
  storageos: fields({
    volumeName: must(formed(dnsLabel)),
    volumeNamespace: formed(dnsLabel),
    secretRef: fields({ name: needed() }),
  }),
  projected: fields({ defaultMode: fileMode, sources: each(projection) }),
  scaleIO: SHARED_SOURCES.scaleIO,
  csi: fields({ driver: driverName }, ({ nodePublishSecretRef: secret }, field) => {
    if (!isObject(secret)) return [];
    if (isEmpty(secret.name)) return [required(`${field}.nodePublishSecretRef.name`)];
    return formed(dnsSubdomain)(secret.name, `${field}.name`);
  }),
  ephemeral: fields({ volumeClaimTemplate: needed() }),
  image: fields({ reference: needed() }),
};

function source(volume: Json, field: string): readonly Problem[] {
  const [first, ...others] = Object.keys(SOURCES).filter((name) => isObject(volume[name]));
  if (first === undefined) return [required(field, 'must specify a volume type')];
  const { name = '', iscsi } = volume;
  return [
    ...(first === 'iscsi' && isObject(iscsi)
      ? iscsiOfPod(String(name), iscsi, `${field}.iscsi`, `${field}.name`)
      : []),
    ...(SOURCES[first]?.(volume[first], `${field}.${first}`) ?? []),
    ...others.map((other) =>
      forbidden(`${field}.${other}`, 'may not specify more than 1 volume type'),
    ),
  ];
}

/** The problems of a Pod's volumes. */
export const volumes: Check = all(
  each(fields({ name: must(formed(dnsLabel)) }, source)),
  uniqueBy('name'),
);

/** Checks the keys of a ConfigMap or Secret. A problem is reported at the path `field[key]`. */
export function dataKeys(value: unknown, field: string): readonly Problem[] {
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) =>
    dataKey(key).map((why) => invalidValue(`${field}[${key}]`, key, why)),
  );
}
