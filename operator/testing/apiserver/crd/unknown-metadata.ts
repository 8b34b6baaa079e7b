import type { StoredObject } from '../cluster-access.ts';
import { isObject } from '../objects/metadata.ts';

/** The fields of ObjectMeta. */
const METADATA: ReadonlySet<string> = new Set([
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);

/** The paths of what no metadata has. The schema of a custom resource says nothing about it. */
export function unknownMetadata({ metadata }: StoredObject): readonly string[] {
  if (!isObject(metadata)) return [];
  return Object.keys(metadata)
    .filter((field) => !METADATA.has(field))
    .map((field) => `metadata.${field}`);
}

/** An object without what no metadata has. */
export function withoutUnknownMetadata(object: StoredObject): StoredObject {
  if (unknownMetadata(object).length === 0) return object;
  const known = Object.entries(object.metadata).filter(([field]) => METADATA.has(field));
  return { ...object, metadata: Object.fromEntries(known) as unknown as StoredObject['metadata'] };
}
