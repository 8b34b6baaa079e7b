import { builtInKindName } from '../built-in-types/built-in-types.ts';
import { jsonText } from './json-text.ts';
import { rebuildJson } from './json-walk.ts';
import type { Json } from './metadata.ts';
import type { StoredObject } from './stored-object.ts';
import { OBJECT_META } from './struct-decoder.ts';
import { encodeStruct } from './struct-encoder.ts';

/** A built-in object as it is after Go has encoded it. */
export function canonicalBuiltIn(object: StoredObject): StoredObject {
  const typeName = builtInKindName(object.apiVersion, object.kind);
  if (typeName === undefined) return object;
  return encodeStruct(object as Json, typeName) as StoredObject;
}

/** Types that a server stores as JSON. All others are stored as protobuf. */
const STORED_IN_JSON = /^io\.k8s\.(?:apiextensions-apiserver|kube-aggregator)\./;

/** A built-in object as it is after Go has stored it, read it back and encoded it. */
export function storedBuiltIn(object: StoredObject): StoredObject {
  const typeName = builtInKindName(object.apiVersion, object.kind);
  if (typeName === undefined) return object;
  const isProtobuf = !STORED_IN_JSON.test(typeName);
  return encodeStruct(object as Json, typeName, isProtobuf) as StoredObject;
}

/** Metadata as it is after Go has encoded the struct. */
function canonicalMetadata(metadata: Json): Json {
  return encodeStruct(metadata, OBJECT_META);
}

/** Metadata fields of a custom object that are omitted when they are empty. */
const OMITTED_WHEN_EMPTY = new Set([
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);

/** A custom object as it is after the server has encoded it: nested maps with sorted keys. */
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

/** A copy of a value in which the keys of every map are sorted. */
export function sortedDeep(value: unknown): unknown {
  return rebuildJson(value, { namesOf: (object) => Object.keys(object).sort() });
}

/** A map with sorted keys, as Go encodes maps. */
export function sortedKeys(map: Json): Json {
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, map[key]]),
  );
}

/** JSON as Go writes it: `<`, `>`, `&` and the two line separators of JavaScript are escaped. */
export function goJson(value: unknown): string {
  const text = jsonText(value);
  return UNSAFE.test(text) ? text.replace(ALL_UNSAFE, escapeCharacter) : text;
}

/** Like `goJson`, but indented with two spaces, as users of `curl` get it. */
export function prettyJson(value: unknown): string {
  return jsonText(value, '  ').replace(ALL_UNSAFE, escapeCharacter);
}

const UNSAFE = /[<>&\u2028\u2029]/;
const ALL_UNSAFE = /[<>&\u2028\u2029]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The metadata of an object, without all other fields. */
export function partialOf({ kind, metadata }: StoredObject): Json {
  const { annotations, ...others } = metadata as unknown as Json;
  const shown = kind === 'DaemonSet' ? withoutCount(annotations) : annotations;
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: canonicalMetadata(shown === undefined ? others : { ...others, annotations: shown }),
  };
}

/**
 * An annotation of a DaemonSet that the server derives from an internal field. The server adds it to the
 * whole object, but not to partial metadata.
 */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

function withoutCount(annotations: unknown): unknown {
  const { [TEMPLATE_GENERATION]: _, ...others } = (annotations ?? {}) as Json;
  return isEmpty(others) ? undefined : others;
}
