import type { KubernetesObject, ObjectMeta, OwnerReference } from 'chancery';

/** The metadata fields that every builder accepts, in addition to the fields of the object's kind. */
export type MetadataFields = Omit<Partial<ObjectMeta>, 'name'>;

/** Splits `fields` into metadata fields and all other fields. */
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
