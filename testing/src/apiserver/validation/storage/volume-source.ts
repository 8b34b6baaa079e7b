import { isIP } from 'node:net';
import { isObject, type Json } from '../../objects/metadata.ts';
import { between, type Check, fields, formed, isEmpty, must, needed } from '../fields/check.ts';
import { dnsLabel, dnsSubdomain } from '../fields/formats.ts';
import {
  forbidden,
  invalidValue,
  notSupported,
  type Problem,
  required,
  tooLong,
} from '../fields/problem.ts';

/**
 * A possible source of a persistent volume (Go: pkg/apis/core/validation,
 * ValidatePersistentVolumeSpec).
 */
interface Source {
  readonly field: string;
  /** The name of the field in the paths of its problems. Default: its name in the API. */
  readonly shown?: string;
  /**
   * The name of the field in the message that refuses it as a second source. Default: its name in the API.
   */
  readonly asSecond?: string;
  readonly check: Check;
}

const MAX_DRIVER_NAME_BYTES = 63;

/** Requires the name of a CSI driver, which may contain upper-case letters. */
export const driverName: Check = (value, field) => {
  if (isEmpty(value)) return [required(field)];
  const name = String(value);
  return [
    ...(Buffer.byteLength(name) > MAX_DRIVER_NAME_BYTES
      ? [tooLong(field, MAX_DRIVER_NAME_BYTES)]
      : []),
    ...dnsSubdomain(name.toLowerCase()).map((why) => invalidValue(field, name, why)),
  ];
};

export const noBacksteps: Check = (value, field) =>
  String(value ?? '')
    .split('/')
    .includes('..')
    ? [invalidValue(field, value, "must not contain '..'")]
    : [];

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/**
 * Checks a path on the host.
 * @returns only one problem if the path is missing.
 */
const hostPath: Check = (value, field) => {
  const { path, type } = isObject(value) ? value : {};
  if (isEmpty(path)) return [required(`${field}.path`)];
  const isKnown = type === undefined || HOST_PATH_TYPES.includes(String(type));
  return [
    ...noBacksteps(path, `${field}.path`),
    ...(isKnown ? [] : [notSupported(`${field}.type`, type, HOST_PATH_TYPES)]),
  ];
};

const partition: Check = (value, field) =>
  typeof value === 'number' && (value < 0 || value > 255)
    ? [invalidValue(field, value, 'must be between 1 and 255, inclusive')]
    : [];

/** The formats for the names of initiators and targets, keyed by the prefix of the name. */
const ISCSI_FORMS: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

/** @param noForm - the message for a name that has none of these prefixes. */
function iscsiName(noForm: string): Check {
  return (value, field) => {
    const name = String(value ?? '');
    const form = ISCSI_FORMS[name.slice(0, 3)];
    if (form?.test(name) === true) return [];
    return [invalidValue(field, name, form === undefined ? noForm : WRONG_FORM)];
  };
}

const WRONG_FORM = 'must be valid format';
const MAX_ISCSI_NAME = 64;

/**
 * The name of the initiator contains the name of the volume and the portal, so these two together must not be
 * too long.
 */
function iscsiIsTooLong(volume: string, { targetPortal = '', initiatorName }: Json): boolean {
  const whole = `${volume}:${targetPortal}`;
  return initiatorName !== undefined && Buffer.byteLength(whole) > MAX_ISCSI_NAME;
}

const ISCSI_TOO_LONG = `Total length of <volume name>:<iscsi.targetPortal> must be under ${MAX_ISCSI_NAME} characters if iscsi.initiatorName is specified.`;

function iscsiTarget(name: Check, secret: Check): Check {
  return fields(
    { iqn: must(name), lun: between(0, 255) },
    ({ chapAuthDiscovery, chapAuthSession, secretRef, initiatorName }, field) => [
      ...((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined
        ? [required(`${field}.secretRef`)]
        : []),
      ...secret(secretRef, `${field}.secretRef`),
      ...(initiatorName === undefined ? [] : name(initiatorName, `${field}.initiatorname`)),
    ],
  );
}

const volumeTarget = iscsiTarget(iscsiName(WRONG_FORM), fields({ name: needed() }));
const podTarget = iscsiTarget(
  iscsiName('must be valid format starting with iqn, eui, or naa'),
  () => [],
);

function iscsi(volume: string): Check {
  return fields({ targetPortal: needed() }, (source, field) => [
    ...(iscsiIsTooLong(volume, source)
      ? [invalidValue(`${field}.targetportal`, source.targetPortal, ISCSI_TOO_LONG)]
      : []),
    ...volumeTarget(source, field),
  ]);
}

/**
 * Checks an iSCSI volume of a Pod. If the volume's name and the portal together are too long, the problem is
 * reported at the path of the volume's name.
 * @param at - the path of the volume's name.
 */
export function iscsiOfPod(
  volume: string,
  source: Json,
  field: string,
  at: string,
): readonly Problem[] {
  return [
    ...needed()(source.targetPortal, `${field}.targetPortal`),
    ...podTarget(source, field),
    ...(iscsiIsTooLong(volume, source) ? [invalidValue(at, volume, ISCSI_TOO_LONG)] : []),
  ];
}

const fc: Check = fields({}, ({ targetWWNs, wwids, lun }, field) => {
  const at = `${field}.targetWWNs`;
  if (isEmpty(targetWWNs)) {
    const why = 'must specify either targetWWNs or wwids, but not both';
    return isEmpty(wwids) ? [required(at, why)] : [];
  }
  const both = 'targetWWNs and wwids can not be specified simultaneously';
  return [
    ...(isEmpty(wwids) ? [] : [invalidValue(at, targetWWNs, both)]),
    ...(lun === undefined
      ? [required(`${field}.lun`, 'lun is required if targetWWNs is specified')]
      : between(0, 255)(lun, `${field}.lun`)),
  ];
});

const flocker: Check = fields({}, ({ datasetName = '', datasetUUID }, field) => {
  const both = 'datasetName and datasetUUID can not be specified simultaneously';
  return [
    ...(isEmpty(datasetName) && isEmpty(datasetUUID)
      ? [required(field, 'one of datasetName and datasetUUID is required')]
      : []),
    ...(isEmpty(datasetName) || isEmpty(datasetUUID)
      ? []
      : [invalidValue(field, 'resource', both)]),
    ...(String(datasetName).includes('/')
      ? [invalidValue(`${field}.datasetName`, datasetName, "must not contain '/'")]
      : []),
  ];
});

const nfs: Check = fields({}, ({ server, path = '' }, field) => [
  ...needed()(server, `${field}.server`),
  ...needed()(path, `${field}.path`),
  ...(String(path).startsWith('/')
    ? []
    : [invalidValue(`${field}.path`, path, 'must be an absolute path')]),
]);

const HOST_AND_PORT = 'must be a host:port pair or multiple pairs separated by commas';

const quobyte: Check = fields({}, ({ registry, tenant = '', volume }, field) => {
  const at = `${field}.registry`;
  const tooLongTenant = 'must be a UUID and may not exceed a length of 64 characters';
  const wrong = String(registry ?? '')
    .split(',')
    .filter((pair) => !isHostAndPort(pair));
  const first = isEmpty(registry)
    ? [required(at, HOST_AND_PORT)]
    : String(tenant).length >= 65
      ? [required(`${field}.tenant`, tooLongTenant)]
      : wrong.map(() => invalidValue(at, registry, HOST_AND_PORT));
  return [...first, ...needed()(volume, `${field}.volume`)];
});

function isHostAndPort(text: string): boolean {
  const [, address] = /^\[([^[\]]*)\]:[^:]*$/.exec(text) ?? [];
  if (address !== undefined) return address === '' || isIP(address) !== 0 || !address.includes('/');
  return /^[^:[\]]*:[^:[\]]*$/.test(text);
}

const glusterfs: Check = fields(
  { endpoints: needed(), path: needed() },
  ({ endpointsNamespace }, field) => {
    if (endpointsNamespace === undefined) return [];
    const at = `${field}.endpointsNamespace`;
    const why = 'if the endpointnamespace is set, it must be a valid namespace name';
    if (endpointsNamespace === '') return [invalidValue(at, '', why)];
    return formed(dnsLabel)(endpointsNamespace, at);
  },
);

/** Requires the name and namespace of a Secret. */
const secretReference: Check = fields({ name: needed(), namespace: needed() });

const formedReference: Check = fields({
  name: must(formed(dnsSubdomain)),
  namespace: must(formed(dnsLabel)),
});

const flexVolume: Check = fields({ driver: needed() }, ({ options }, field) =>
  Object.keys(isObject(options) ? options : {}).flatMap((key) => {
    const [namespace = ''] = key.includes('/') ? key.split('/') : [key];
    if (!/\.(kubernetes|k8s)\.io$/.test(`.${namespace.toLowerCase()}`)) return [];
    const why = 'kubernetes.io and k8s.io namespaces are reserved';
    return [invalidValue(`${field}.options[${key}]`, key, why)];
  }),
);

const azureFile: Check = fields(
  { secretName: needed(), shareName: needed() },
  ({ secretNamespace }, field) =>
    secretNamespace === '' ? [required(`${field}.secretNamespace`)] : [],
);

const CACHING = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_DISK =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const azureDisk: Check = fields(
  {
    diskName: needed(),
    diskURI: needed(),
    cachingMode: oneOfSet(CACHING),
    kind: oneOfSet(DISK_KINDS),
  },
  ({ kind, diskURI = '' }, field) => {
    if (kind === undefined) return [];
    const [start, shape] =
      kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK] : ['https://', BLOB_DISK];
    if (String(diskURI).startsWith(start)) return [];
    return [notSupported(`${field}.diskURI`, diskURI, [shape])];
  },
);

/** Requires one of these words, if a value is set. An empty string counts as set. */
export function oneOfSet(words: readonly string[]): Check {
  return (value, field) =>
    value === undefined || words.includes(String(value)) ? [] : [notSupported(field, value, words)];
}

const storageos: Check = fields({
  volumeName: must(formed(dnsLabel)),
  volumeNamespace: formed(dnsLabel),
  secretRef: secretReference,
});

const csi: Check = fields({
  driver: driverName,
  volumeHandle: needed(),
  controllerPublishSecretRef: formedReference,
  controllerExpandSecretRef: formedReference,
  nodePublishSecretRef: formedReference,
  nodeExpandSecretRef: formedReference,
});

const local: Check = (value, field) => {
  const { path } = isObject(value) ? value : {};
  return isEmpty(path) ? [required(`${field}.path`)] : noBacksteps(path, `${field}.path`);
};

/** Sources that volumes of Pods can have too, with the same rules. */
type SharedSource =
  | 'awsElasticBlockStore'
  | 'azureDisk'
  | 'cephfs'
  | 'fc'
  | 'flexVolume'
  | 'flocker'
  | 'gcePersistentDisk'
  | 'hostPath'
  | 'nfs'
  | 'photonPersistentDisk'
  | 'portworxVolume'
  | 'quobyte'
  | 'rbd'
  | 'scaleIO'
  | 'vsphereVolume';

export const SHARED_SOURCES: Readonly<Record<SharedSource, Check>> = {
  awsElasticBlockStore: fields({ volumeID: needed(), partition }),
  azureDisk,
  cephfs: fields({ monitors: needed() }),
  fc,
  flexVolume,
  flocker,
  gcePersistentDisk: fields({ pdName: needed(), partition }),
  hostPath,
  nfs,
  photonPersistentDisk: fields({ pdID: needed() }),
  portworxVolume: fields({ volumeID: needed() }),
  quobyte,
  rbd: fields({ monitors: needed(), image: needed() }),
  scaleIO: fields({ gateway: needed(), system: needed(), volumeName: needed() }),
  vsphereVolume: fields({ volumePath: needed() }),
};

function shared(field: SharedSource, names: Pick<Source, 'shown' | 'asSecond'> = {}): Source {
  return { field, check: SHARED_SOURCES[field], ...names };
}

/**
 * The sources in the server's order.
 * @param volume - the name of the volume.
 */
function sources(volume: string): readonly Source[] {
  return [
    shared('hostPath'),
    shared('gcePersistentDisk', { shown: 'persistentDisk' }),
    shared('awsElasticBlockStore'),
    { field: 'glusterfs', check: glusterfs },
    shared('flocker'),
    shared('nfs'),
    shared('rbd'),
    shared('quobyte'),
    shared('cephfs', { asSecond: 'cephFS' }),
    { field: 'iscsi', check: iscsi(volume) },
    { field: 'cinder', check: fields({ volumeID: needed(), secretRef: secretReference }) },
    shared('fc'),
    shared('flexVolume'),
    { field: 'azureFile', check: azureFile },
    shared('vsphereVolume'),
    shared('photonPersistentDisk'),
    shared('portworxVolume'),
    shared('azureDisk'),
    shared('scaleIO'),
    { field: 'local', check: local },
    { field: 'storageos', check: storageos },
    { field: 'csi', check: csi },
  ];
}

/** The fields of a spec that can hold a source. */
export const SOURCE_FIELDS: readonly string[] = sources('').map(({ field }) => field);

/** The problems of a volume's source. There must be exactly one source. */
export function sourceProblems(
  spec: Json,
  volume: string,
  field: string,
  hasAffinity: boolean,
): readonly Problem[] {
  const problems: Problem[] = [];
  let count = 0;
  for (const source of sources(volume)) {
    if (!isObject(spec[source.field])) continue;
    // The server allows a Flex volume in addition to another source.
    if (count > 0 && source.field !== 'flexVolume') {
      const at = `${field}.${source.asSecond ?? source.field}`;
      problems.push(forbidden(at, 'may not specify more than 1 volume type'));
      continue;
    }
    count++;
    const at = `${field}.${source.shown ?? source.field}`;
    problems.push(...source.check(spec[source.field], at));
    if (source.field === 'local' && !hasAffinity)
      problems.push(required(`${field}.nodeAffinity`, 'Local volume requires node affinity'));
  }
  return count === 0 ? [required(field, 'must specify a volume type')] : problems;
}
