import { type Json, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { asObject, fill, ifMissing } from './fill.ts';

/** The defaults in the spec of a claim or of a claim template. */
export function defaultClaimSpec(spec: Json): Json {
  return fill(spec, { volumeMode: ifMissing('Filesystem') });
}

/**
 * Sets both data source fields of a claim if one of them is set. The older field supports only claims and
 * snapshots. Any other object in the older field is silently dropped, unless the newer field is set or the
 * claim had a source before (`EnforceDataSourceBackwardsCompatibility` and `NormalizeDataSources`,
 * pkg/api/persistentvolumeclaim).
 */
export function withSources(claim: StoredObject, previous?: StoredObject): StoredObject {
  const spec = asObject(claim.spec);
  if (spec === undefined) return claim;
  const before = asObject(previous?.spec);
  const isKept = before?.dataSource !== undefined || before?.dataSourceRef !== undefined;
  const reference = asObject(spec.dataSourceRef);
  const given = asObject(spec.dataSource);
  const source = isKept || reference !== undefined || isOldSource(given) ? given : undefined;
  const hasNamespace = reference?.namespace !== undefined && reference.namespace !== '';
  const both = {
    dataSource: source ?? (hasNamespace ? undefined : reference && localOf(reference)),
    dataSourceRef: reference ?? source,
  };
  return withFields(claim, {
    spec: withFields(spec as unknown as StoredObject, both),
  });
}

function isOldSource(source: Json | undefined): boolean {
  const { kind, apiGroup } = source ?? {};
  if (kind === 'PersistentVolumeClaim') return apiGroup === undefined || apiGroup === '';
  return kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io';
}

function localOf({ namespace: _, ...reference }: Json): Json {
  return reference;
}

/** The defaults of a claim, or of a claim template of a StatefulSet. */
export function defaultClaim(claim: Json): Json {
  const spec = asObject(claim.spec);
  return fill(spec === undefined ? claim : { ...claim, spec: defaultClaimSpec(spec) }, {
    status: (status: unknown) => fill(asObject(status), { phase: 'Pending' }),
  });
}

/** The defaults of a CSIDriver. */
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
