import { builtInType } from '../built-in-types/built-in-types.ts';
import { isObject } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';

/** The paths of what no metadata has. The schema of a custom resource says nothing about it. */
export function unknownMetadata({ metadata }: StoredObject): readonly string[] {
  if (!isObject(metadata)) return [];
  return Object.keys(metadata)
    .filter((field) => !isMetadata(field))
    .map((field) => `metadata.${field}`);
}

/** An object without what no metadata has. */
export function withoutUnknownMetadata(object: StoredObject): StoredObject {
  if (unknownMetadata(object).length === 0) return object;
  const known = Object.entries(object.metadata).filter(([field]) => isMetadata(field));
  return { ...object, metadata: Object.fromEntries(known) as unknown as StoredObject['metadata'] };
}

function isMetadata(field: string): boolean {
  const type = builtInType('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  return type !== undefined && Object.hasOwn(type.fields, field);
}
