import type { Json } from '../objects/metadata.ts';
import { asObject, fill } from './fill.ts';

export function defaultClaimSpec(spec: Json): Json {
  const source = asObject(spec.dataSource);
  const reference = asObject(spec.dataSourceRef);
  // What a claim is filled from stands in two fields, the older of which is the poorer one.
  return fill(spec, {
    volumeMode: 'Filesystem',
    ...(source !== undefined && reference === undefined ? { dataSourceRef: source } : {}),
    ...(reference !== undefined && reference.namespace === undefined && source === undefined
      ? { dataSource: reference }
      : {}),
  });
}

/** A claim, of its own or as a template of a StatefulSet. */
export function defaultClaim(claim: Json): Json {
  const spec = asObject(claim.spec);
  return fill(spec === undefined ? claim : { ...claim, spec: defaultClaimSpec(spec) }, {
    status: (status: unknown) => fill(asObject(status), { phase: 'Pending' }),
  });
}

export function defaultVolumeSpec(spec: Json): Json {
  return fill(spec, {
    persistentVolumeReclaimPolicy: 'Retain',
    volumeMode: 'Filesystem',
    hostPath: (path: unknown) => {
      const source = asObject(path);
      return source === undefined ? undefined : fill(source, { type: '' });
    },
  });
}
