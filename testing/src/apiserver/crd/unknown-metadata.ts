import { builtInType } from '../built-in-types/built-in-types.ts';
import { isObject } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';

/**
 * The paths of unknown fields in the metadata. The schema of a custom resource does not cover
 * metadata.
 */
export function unknownMetadata({ metadata }: StoredObject): readonly string[] {
  if (!isObject(metadata)) return [];
  return Object.keys(metadata)
    .filter((field) => !isMetadata(field))
    .map((field) => `metadata.${field}`);
}

/** The object without unknown fields in its metadata. */
export function withoutUnknownMetadata(object: StoredObject): StoredObject {
  if (unknownMetadata(object).length === 0) return object;
  const known = Object.entries(object.metadata).filter(([field]) => isMetadata(field));
  return { ...object, metadata: Object.fromEntries(known) as unknown as StoredObject['metadata'] };
}

function isMetadata(field: string): boolean {
  const type = builtInType('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  return type !== undefined && Object.hasOwn(type.fields, field);
}
