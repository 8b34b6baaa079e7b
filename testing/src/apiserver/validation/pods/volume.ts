import { isObject, type Json } from '../../objects/metadata.ts';
import {
  all,
  between,
  type Check,
  each,
  fields,
  formed,
  itemsOf,
  maybeOneOf,
  must,
  needed,
  uniqueBy,
} from '../fields/check.ts';
import { dataKey, dnsLabel } from '../fields/formats.ts';
import { forbidden, invalidValue, type Problem, required } from '../fields/problem.ts';
import { notNegativeQuantity } from '../fields/resources.ts';
import { fieldOf, resourceField } from './environment.ts';

/** Permissions of files, as octal numbers: 0 to 0777. */
const fileMode: Check = (value, field) =>
  typeof value === 'number' && (value < 0 || value > 0o777)
    ? [invalidValue(field, value, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];

/** A path below the volume. */
export function localPath(value: unknown, field: string): readonly Problem[] {
  const path = String(value ?? '');
  if (path.startsWith('/')) return [invalidValue(field, path, 'must be a relative path')];
  return noBacksteps(path, field);
}

function noBacksteps(value: unknown, field: string): readonly Problem[] {
  const path = String(value ?? '');
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];
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

/** The server reports a problem of a file at its volume, and does not count the files. */
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

/** What a volume can be, in the server's order, and what of it is checked. */
const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: fields({ sizeLimit: notNegativeQuantity }),
  hostPath: fields({
    path: must(noBacksteps),
    type: maybeOneOf(
      'BlockDevice',
      'CharDevice',
      'Directory',
      'DirectoryOrCreate',
      'File',
      'FileOrCreate',
      'Socket',
    ),
  }),
  gitRepo: fields({ repository: needed() }),
  secret: fields({ secretName: needed(), defaultMode: fileMode, items: each(keyToPath) }),
  nfs: fields({ server: needed(), path: needed() }),
  iscsi: fields({ targetPortal: needed(), iqn: needed(), lun: between(0, 255) }),
  persistentVolumeClaim: fields({ claimName: needed() }),
  downwardAPI: all(fields({ defaultMode: fileMode }), downwardFiles),
  fc: () => [],
  flexVolume: fields({ driver: needed() }),
  configMap: fields({ name: needed(), defaultMode: fileMode, items: each(keyToPath) }),
  projected: fields({ defaultMode: fileMode, sources: each(projection) }),
  csi: fields({ driver: needed() }),
  ephemeral: fields({ volumeClaimTemplate: needed() }),
  image: fields({ reference: needed() }),
};

/** Kinds of volumes that are of the past, and only counted. */
const OLDER = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'scaleIO',
];

function source(volume: Json, field: string): readonly Problem[] {
  const names = [...Object.keys(SOURCES), ...OLDER].filter((name) => isObject(volume[name]));
  const [first, ...others] = names;
  if (first === undefined) return [required(field, 'must specify a volume type')];
  return [
    ...(SOURCES[first]?.(volume[first], `${field}.${first}`) ?? []),
    ...others.map((name) =>
      forbidden(`${field}.${name}`, 'may not specify more than 1 volume type'),
    ),
  ];
}

/** The volumes of a Pod. */
export const volumes: Check = all(
  each(fields({ name: must(formed(dnsLabel)) }, source)),
  uniqueBy('name'),
);

/** The keys of a ConfigMap or Secret, with the path that the server gives them. */
export function dataKeys(value: unknown, field: string): readonly Problem[] {
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) =>
    dataKey(key).map((why) => invalidValue(`${field}[${key}]`, key, why)),
  );
}
