import type { Json } from '../objects/metadata.ts';
import { asObject, fill, ifMissing } from './fill.ts';

export function defaultClaimSpec(spec: Json): Json {
  const source = asObject(spec.dataSource);
  const reference = asObject(spec.dataSourceRef);
  // What a claim is filled from stands in two fields, the older of which is the poorer one.
  return fill(spec, {
    volumeMode: ifMissing('Filesystem'),
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

/** What a CSI driver can do, where it does not say. */
export function defaultDriverSpec(spec: Json): Json {
  const modes = spec.volumeLifecycleModes;
  const isEmpty = Array.isArray(modes) && modes.length === 0;
  return fill(isEmpty ? { ...spec, volumeLifecycleModes: undefined } : spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: ifMissing('ReadWriteOnceWithFSType'),
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  });
}
