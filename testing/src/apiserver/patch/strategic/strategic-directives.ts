import { fieldOf, isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import { malformedPatch } from '../patch-error.ts';

/** The field of a map that says what to do with it: `merge`, `replace` or `delete`. */
export const DIRECTIVE = '$patch';

const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder/';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';

/** True for a key of a patch that is no field of the object. */
export function isDirective(key: string): boolean {
  return (
    key === DIRECTIVE ||
    key === RETAIN_KEYS ||
    key.startsWith(ELEMENT_ORDER) ||
    key.startsWith(DELETE_FROM_LIST)
  );
}

/** The only fields that survive, or undefined when the patch does not say. */
export function retainedKeysOf(patch: JsonObject): ReadonlySet<string> | undefined {
  const keys = fieldOf(patch, RETAIN_KEYS);
  if (keys === undefined) return undefined;
  if (!Array.isArray(keys)) throw malformedPatch('invalid patch format of retainKeys');
  return new Set(keys.map(String));
}

/** The order that a list must have: scalars, or maps with the merge key. */
export function elementOrderOf(patch: JsonObject, name: string): readonly unknown[] | undefined {
  const order = fieldOf(patch, ELEMENT_ORDER + name);
  if (order === undefined) return undefined;
  if (!Array.isArray(order)) throw malformedPatch('invalid patch format of setElementOrder list');
  return order;
}

/** Scalars to take out of a list. */
export function deletedValuesOf(patch: JsonObject, name: string): readonly unknown[] | undefined {
  const values = fieldOf(patch, DELETE_FROM_LIST + name);
  if (values === undefined) return undefined;
  if (!Array.isArray(values)) throw malformedPatch('invalid patch format of primitive list');
  return values;
}

/** The fields of a patch as an object: no directives and no nulls, however deep. */
export function withoutDirectives(patch: JsonObject): JsonObject {
  const fields = Object.entries(patch).filter(
    ([key, value]) => !isDirective(key) && value !== null,
  );
  return Object.fromEntries(fields.map(([key, value]) => [key, cleaned(value)]));
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  return isJsonObject(value) ? withoutDirectives(value) : value;
}
