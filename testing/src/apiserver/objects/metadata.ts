import type { StoredObject } from './stored-object.ts';

/** A JSON object of any type. */
export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns `object` with some metadata replaced. A field that is set to undefined is removed. */
export function withMetadata(object: StoredObject, changes: Json): StoredObject {
  const metadata: Record<string, unknown> = { ...object.metadata, ...changes };
  for (const [field, value] of Object.entries(changes)) {
    if (value === undefined) delete metadata[field];
  }
  return { ...object, metadata: metadata as unknown as StoredObject['metadata'] };
}

/** Returns `object` with some top-level fields replaced. A field that is set to undefined is removed. */
export function withFields(object: StoredObject, changes: Json): StoredObject {
  const changed: Record<string, unknown> = { ...object, ...changes };
  for (const [field, value] of Object.entries(changes)) {
    if (value === undefined) delete changed[field];
  }
  return changed as unknown as StoredObject;
}

/** The value at a path of field names; undefined if the object does not have all fields of the path. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const field of path) value = isObject(value) ? value[field] : undefined;
  return value;
}

/** Returns `object` with the value at a path replaced. Only the objects on the path are copied. */
export function withValueAt(object: Json, path: readonly string[], value: unknown): Json {
  const [field, ...rest] = path;
  if (field === undefined) return object;
  const child = object[field];
  const inner = rest.length === 0 ? value : withValueAt(isObject(child) ? child : {}, rest, value);
  return { ...object, [field]: inner };
}
