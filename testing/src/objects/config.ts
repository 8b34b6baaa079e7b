import type { KubernetesObject } from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import { type MetadataFields, placed } from './metadata.ts';

export interface Secret extends KubernetesObject {
  readonly type?: string;
  /** Values in base64. */
  readonly data?: Readonly<Record<string, string>>;
  /** Plain values. The server converts them to `data`. */
  readonly stringData?: Readonly<Record<string, string>>;
}

/** A ConfigMap with this `data`. */
export function configMap(
  name: string,
  fields: MetadataFields & Pick<ConfigMap, 'data' | 'binaryData' | 'immutable'> = {},
): ConfigMap {
  const { metadata, rest } = placed(name, fields);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...rest };
}

/** A Secret. Its type is `Opaque`, unless `type` sets another type. */
export function secret(
  name: string,
  fields: MetadataFields & Pick<Secret, 'type' | 'data' | 'stringData'> = {},
): Secret {
  const { metadata, rest } = placed(name, fields);
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', ...rest };
}

/**
 * Builds an object of any kind, such as a custom resource. Metadata fields in `fields` are moved to
 * `metadata`.
 */
export function customResource<T extends Readonly<Record<string, unknown>>>(
  apiVersion: string,
  kind: string,
  name: string,
  fields: MetadataFields & T = {} as MetadataFields & T,
): KubernetesObject & Omit<T, keyof MetadataFields> {
  const { metadata, rest } = placed<T>(name, fields);
  return { apiVersion, kind, metadata, ...rest };
}
