import type { KubernetesObject, ObjectMeta, OwnerReference } from 'chancery';

/** The metadata that every builder accepts, besides the object's own fields. */
export type MetadataFields = Omit<Partial<ObjectMeta>, 'name'>;

/** The fields of `metadata` among `fields`, and the rest. */
export function placed<T extends object>(
  name: string,
  fields: MetadataFields & T,
): { readonly metadata: ObjectMeta; readonly rest: Omit<T, keyof MetadataFields> } {
  const metadata: Record<string, unknown> = { name };
  const rest: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (METADATA.has(field)) metadata[field] = value;
    else rest[field] = value;
  }
  return {
    metadata: metadata as unknown as ObjectMeta,
    rest: rest as Omit<T, keyof MetadataFields>,
  };
}

const METADATA: ReadonlySet<string> = new Set([
  'namespace',
  'generateName',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'managedFields',
] satisfies (keyof MetadataFields)[]);

/**
 * A reference to `owner` as its controller, for `ownerReferences`.
 *
 * @param owner - the object as the server returned it, because the reference needs its uid.
 */
export function ownerReference({ apiVersion, kind, metadata }: KubernetesObject): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
