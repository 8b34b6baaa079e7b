import { jsonEquals } from 'chancery/internal-objects';

export { jsonEquals };

/**
 * A decoded JSON object. It can have a field `__proto__`, so read fields with `fieldOf`, never with `[]`.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own field, or undefined. Inherited names such as `constructor` are not fields. */
export function fieldOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A copy with one field set. An existing field keeps its position. */
export function withField(object: JsonObject, name: string, value: unknown): JsonObject {
  const copy = { ...object };
  setField(copy, name, value);
  return copy;
}

/** Sets a field of an object in place. Call this only while no other code uses the object. */
export function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  // An assignment to `__proto__` would set the prototype.
  Object.defineProperty(object, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/** A copy without one field. */
export function withoutField(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}
