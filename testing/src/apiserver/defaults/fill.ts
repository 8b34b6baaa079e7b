import { isObject, type Json } from '../objects/metadata.ts';

/**
 * Sets missing fields of an object to their defaults. If a default is a function, it is called with the
 * current value of the field, and returns the new value.
 */
export function fill(object: Json | undefined, defaults: Readonly<Record<string, unknown>>): Json {
  const filled: Record<string, unknown> = { ...object };
  for (const [field, value] of Object.entries(defaults)) {
    if (typeof value === 'function') {
      const result: unknown = value(filled[field]);
      if (result !== undefined) filled[field] = result;
    } else if (isUnset(filled[field], value)) filled[field] = value;
  }
  return filled;
}

/**
 * A default that applies only if the field is absent. An empty string is not replaced, so validation refuses
 * it later.
 */
export function ifMissing<T>(value: T): (found: unknown) => unknown {
  return (found) => found ?? value;
}

/**
 * Whether Go treats the value as unset. An empty string counts as unset. A number or a boolean is unset only
 * if it is absent.
 */
function isUnset(found: unknown, value: unknown): boolean {
  return found === undefined || (found === '' && typeof value === 'string');
}

/** Applies `change` to each object of a list. A value that is not a list is returned unchanged. */
export function each(list: unknown, change: (item: Json) => Json): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((item) => (isObject(item) ? change(item) : item));
}

export function asObject(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined;
}
