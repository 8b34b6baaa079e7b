import type { StoredObject } from '../cluster-access.ts';
import { isObject, type Json } from './metadata.ts';

/** The fields of metav1.ObjectMeta in the order in which Go encodes them. */
export const METADATA_ORDER: readonly string[] = [
  'name',
  'generateName',
  'namespace',
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
];

const MANAGED_FIELDS_ORDER = [
  'manager',
  'operation',
  'apiVersion',
  'time',
  'fieldsType',
  'fieldsV1',
  'subresource',
];

/** Metadata that Go leaves out when it is empty. */
const OMITTED_WHEN_EMPTY = new Set([
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);

/**
 * A built-in object as Go encodes it: structs in the order of their fields, maps sorted, nothing
 * empty in the metadata, no null.
 *
 * @param fields - the top-level fields of the kind, in order; others follow as they came.
 */
export function canonicalBuiltIn(object: StoredObject, fields: readonly string[]): StoredObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  const ordered = pick(rest, fields);
  return {
    kind,
    apiVersion,
    metadata: canonicalMetadata(metadata as unknown as Json),
    ...ordered,
  } as unknown as StoredObject;
}

/** Metadata as Go encodes its struct. */
export function canonicalMetadata(metadata: Json): Json {
  const kept: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(pick(metadata, METADATA_ORDER))) {
    if (value === null || value === undefined) continue;
    if (OMITTED_WHEN_EMPTY.has(field) && Object.keys(value).length === 0) continue;
    kept[field] = isStringMap(field) ? sortedKeys(value as Json) : value;
  }
  const { managedFields } = kept;
  if (Array.isArray(managedFields)) {
    kept.managedFields = managedFields.map((entry: Json) => pick(entry, MANAGED_FIELDS_ORDER));
  }
  return kept;
}

function isStringMap(field: string): boolean {
  return field === 'labels' || field === 'annotations';
}

/** A custom object as the server encodes it: a map of maps, every one of them sorted. */
export function canonicalCustom(object: StoredObject): StoredObject {
  const metadata: Record<string, unknown> = { ...object.metadata };
  for (const [field, value] of Object.entries(metadata)) {
    const empty = OMITTED_WHEN_EMPTY.has(field) && isEmpty(value);
    if (value === null || value === undefined || empty) delete metadata[field];
  }
  return sortedDeep({ ...object, metadata }) as StoredObject;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function sortedDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedDeep);
  if (!isObject(value)) return value;
  const sorted: Record<string, unknown> = {};
  for (const field of Object.keys(value).sort()) sorted[field] = sortedDeep(value[field]);
  return sorted;
}

/** A map with its keys sorted, as Go encodes maps. */
export function sortedKeys(map: Json): Json {
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, map[key]]),
  );
}

/** The known fields in order, then the others as they came. */
function pick(object: Json, order: readonly string[]): Json {
  const picked: Record<string, unknown> = {};
  for (const field of order) if (object[field] !== undefined) picked[field] = object[field];
  for (const [field, value] of Object.entries(object)) {
    if (value !== undefined && !(field in picked)) picked[field] = value;
  }
  return picked;
}

/** JSON as Go writes it: `<`, `>`, `&` and the two line separators of JavaScript are escaped. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(value);
  return UNSAFE.test(text) ? text.replace(ALL_UNSAFE, escapeCharacter) : text;
}

/** Like `goJson`, with two spaces of indentation: what a person at `curl` gets. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(ALL_UNSAFE, escapeCharacter);
}

const UNSAFE = /[<>&\u2028\u2029]/;
const ALL_UNSAFE = /[<>&\u2028\u2029]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
