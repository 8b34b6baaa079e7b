import { isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import { type FieldSet, fieldSetOf, NO_FIELDS } from './field-set.ts';
import { compareElements, type FieldPath } from './path-element.ts';

/**
 * Caches for the conversions between a field set and its JSON. An entry lives as long as its set or its JSON
 * is in use. Caching helps because most writes change only few owners, and neither a set nor its JSON is ever
 * modified.
 */
const SETS = new WeakMap<object, FieldSet>();
const TEXTS = new WeakMap<FieldSet, JsonObject>();

/**
 * A field set as JSON for `managedFields[].fieldsV1`, where `.` marks a member that has members below it.
 */
export function toFieldsV1(set: FieldSet): JsonObject {
  const known = TEXTS.get(set);
  if (known !== undefined) return known;
  const fields = written(set);
  SETS.set(fields, set);
  TEXTS.set(set, fields);
  return fields;
}

function written(set: FieldSet): JsonObject {
  const elements = [...new Set([...set.members, ...set.children.keys()])].sort(compareElements);
  return Object.fromEntries(
    elements.map((element) => {
      const child = set.children.get(element);
      if (child === undefined) return [element, {}];
      const self = set.members.has(element) ? { '.': {} } : {};
      return [element, { ...self, ...written(child) }];
    }),
  );
}

/** @returns undefined when the value is not a valid `fieldsV1`. */
export function fromFieldsV1(value: unknown): FieldSet | undefined {
  if (!isJsonObject(value)) return undefined;
  const known = SETS.get(value);
  if (known !== undefined) return known;
  const paths = pathsIn(value, 0);
  if (paths === undefined) return undefined;
  const set = paths.length === 0 ? NO_FIELDS : fieldSetOf(paths);
  SETS.set(value, set);
  if (set !== NO_FIELDS) TEXTS.set(set, value);
  return set;
}

/**
 * The maximum depth of a `fieldsV1` that this server reads. It writes less: at most 200 levels below the last
 * level that a schema declares.
 */
const MAX_LEVELS = 1_000;

function pathsIn(fields: JsonObject, depth: number): FieldPath[] | undefined {
  if (depth > MAX_LEVELS) return undefined;
  const paths: FieldPath[] = [];
  for (const [element, below] of Object.entries(fields)) {
    if (element === '.') continue;
    if (!/^[fkvi]:/.test(element) || !isJsonObject(below)) return undefined;
    const names = Object.keys(below);
    if (names.length === 0 || names.includes('.')) paths.push([element]);
    const deeper = pathsIn(below, depth + 1);
    if (deeper === undefined) return undefined;
    paths.push(...deeper.map((path) => [element, ...path]));
  }
  return paths;
}
