import { isJsonObject } from '../../objects/json-value.ts';

/** A copy of a map. The code that applies the patch may change the copy in place. */
export type OwnMap = Record<string, unknown>;

/** The field of a map that contains its directive. */
export const DIRECTIVE = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const ELEMENT_ORDER = '$setElementOrder';
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList';

export function hasDirective(value: unknown): boolean {
  return isJsonObject(value) && Object.hasOwn(value, DIRECTIVE);
}

export function directiveOf(value: unknown): unknown {
  return hasDirective(value) ? (value as OwnMap)[DIRECTIVE] : undefined;
}

/** A marker that replaces a map whose directive removes it. */
export const GONE: unique symbol = Symbol('gone');

/**
 * Removes maps with a directive from a value that the patch adds to the object. The maps are changed in
 * place, because the server also changes them, and its messages quote the changed maps.
 */
export function withoutDirectives(value: unknown): unknown {
  if (hasDirective(value)) return GONE;
  if (Array.isArray(value)) {
    return value.map(withoutDirectives).filter((item) => item !== GONE);
  }
  if (!isJsonObject(value)) return value;
  const map = value as OwnMap;
  for (const name of Object.keys(map)) {
    const left = withoutDirectives(map[name]);
    if (left === GONE) delete map[name];
    else map[name] = left;
  }
  return map;
}

/** Removes the null fields of every map in a value. */
export function discardNulls(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) discardNulls(item);
  if (!isJsonObject(value)) return;
  const map = value as OwnMap;
  for (const name of Object.keys(map)) {
    if (map[name] === null) delete map[name];
    else discardNulls(map[name]);
  }
}
