import { isObject, type Json } from '../objects/metadata.ts';

/** `object` with the fields that it lacks; a function makes a default out of the value so far. */
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

/** A default for a field that is not there at all: an empty text stays, and is refused later. */
export function ifMissing<T>(value: T): (found: unknown) => unknown {
  return (found) => found ?? value;
}

/** To Go an empty text is none; of numbers and switches only some are. */
function isUnset(found: unknown, value: unknown): boolean {
  return found === undefined || (found === '' && typeof value === 'string');
}

/** The objects of a list, each one changed; anything but a list is left alone. */
export function each(list: unknown, change: (item: Json) => Json): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((item) => (isObject(item) ? change(item) : item));
}

export function asObject(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined;
}
