import { type FieldSet, fieldSetOf, NO_FIELDS } from './field-set.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { compareElements, type FieldPath } from './path-element.ts';

/** A field set in the form of `managedFields[].fieldsV1`; `.` marks a parent that is a member. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const elements = [...new Set([...set.members, ...set.children.keys()])].sort(compareElements);
  return Object.fromEntries(
    elements.map((element) => {
      const child = set.children.get(element);
      if (child === undefined) return [element, {}];
      const self = set.members.has(element) ? { '.': {} } : {};
      return [element, { ...self, ...toFieldsV1(child) }];
    }),
  );
}

/** @returns undefined when the value is not in that form. */
export function fromFieldsV1(value: unknown): FieldSet | undefined {
  if (!isJsonObject(value)) return undefined;
  const paths = pathsIn(value);
  return paths === undefined ? undefined : paths.length === 0 ? NO_FIELDS : fieldSetOf(paths);
}

function pathsIn(fields: JsonObject): FieldPath[] | undefined {
  const paths: FieldPath[] = [];
  for (const [element, below] of Object.entries(fields)) {
    if (element === '.') continue;
    if (!/^[fkvi]:/.test(element) || !isJsonObject(below)) return undefined;
    const names = Object.keys(below);
    if (names.length === 0 || names.includes('.')) paths.push([element]);
    const deeper = pathsIn(below);
    if (deeper === undefined) return undefined;
    paths.push(...deeper.map((path) => [element, ...path]));
  }
  return paths;
}
