import { isMapping } from 'chancery/internal';
/**
 * Reads fields of YAML whose content was not checked. If a field does not have the expected type,
 * it counts as missing, so that one wrong field does not prevent other checks. The rule `shape`
 * reports such fields.
 *
 * @module
 */

/** A mapping of unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

/** The mapping at `path` below `value`. Empty when there is none. */
export function fieldsAt(value: unknown, ...path: readonly string[]): Fields {
  const found = valueAt(value, path);
  return isMapping(found) ? found : {};
}

/** The items of the list at `path` below `value`. Empty when there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** The strings in the list at `path` below `value`. */
export function textsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  return listAt(value, ...path).filter((item) => typeof item === 'string');
}

/** The string at `path` below `value`. Empty when there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : '';
}

/** The value at `path` below `value`, of any type. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (!isMapping(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}
