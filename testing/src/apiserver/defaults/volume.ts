import { isObject, type Json } from '../objects/metadata.ts';
import { asObject, each, fill, ifMissing } from './fill.ts';
import { defaultClaimSpec } from './storage.ts';

/** 0644: the default mode of a volume's files. */
const DEFAULT_MODE = 420;

/** The default lifetime of a projected token: one hour. */
const TOKEN_SECONDS = 3_600;

type Change = (source: Json) => Json;

function withMode(source: Json): Json {
  return fill(source, { defaultMode: DEFAULT_MODE });
}

/** The defaults of a reference to a Pod field: its API version. */
export function defaultFieldRef(value: unknown): Json | undefined {
  const field = asObject(value);
  return field === undefined ? undefined : fill(field, { apiVersion: 'v1' });
}

function withFieldRefs(source: Json): Json {
  return fill(source, {
    items: (items: unknown) => each(items, (item) => fill(item, { fieldRef: defaultFieldRef })),
  });
}

function defaultProjection(projection: Json): Json {
  return changed(projection, {
    serviceAccountToken: (token) => fill(token, { expirationSeconds: TOKEN_SECONDS }),
    downwardAPI: withFieldRefs,
  });
}

const SOURCES: Readonly<Record<string, Change>> = {
  configMap: withMode,
  secret: withMode,
  downwardAPI: (source) => withFieldRefs(withMode(source)),
  projected: (source) =>
    fill(withMode(source), {
      sources: (sources: unknown) => each(sources, defaultProjection),
    }),
  hostPath: (source) => fill(source, { type: '' }),
  iscsi: (source) => fill(source, { iscsiInterface: 'default' }),
  rbd: (source) => fill(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  azureDisk: (source) =>
    fill(source, { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false }),
  scaleIO: (source) => fill(source, { storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  ephemeral: (source) =>
    changed(source, {
      volumeClaimTemplate: (template) => changed(template, { spec: defaultClaimSpec }),
    }),
};

/** The defaults of a Pod's volume. A volume without a source is an emptyDir. */
export function defaultVolume(volume: Json): Json {
  const isNamed = Object.entries(volume).some(
    ([name, value]) => name !== 'name' && isObject(value),
  );
  return changed(isNamed ? volume : { ...volume, emptyDir: {} }, SOURCES);
}

/** The defaults of a persistent volume. Some of its possible sources are also sources of a Pod's volume. */
export function defaultVolumeSpec(spec: Json): Json {
  return fill(changed(spec, SOURCES), {
    persistentVolumeReclaimPolicy: 'Retain',
    volumeMode: ifMissing('Filesystem'),
  });
}

/** The defaults of the volume in a VolumeAttachment. Only its source has defaults. */
export function defaultAttachment(attachment: Json): Json {
  return changed(attachment, {
    spec: (spec) =>
      changed(spec, {
        source: (source) =>
          changed(source, { inlineVolumeSpec: (volume) => changed(volume, SOURCES) }),
      }),
  });
}

/** Applies each function of `changes` to the field with its name. Missing fields are not added. */
export function changed(object: Json, changes: Readonly<Record<string, Change>>): Json {
  const result: Record<string, unknown> = { ...object };
  for (const [field, change] of Object.entries(changes)) {
    const value = asObject(object[field]);
    if (value !== undefined) result[field] = change(value);
  }
  return result;
}
