/** A decoded JSON object. `__proto__` is a name like any other: read with `fieldOf`, never `[]`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own field, or undefined. Inherited names such as `constructor` are no fields. */
export function fieldOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A copy with one field set; its place among the fields is kept where it had one. */
export function withField(object: JsonObject, name: string, value: unknown): JsonObject {
  const copy = { ...object };
  // Plain assignment to `__proto__` would set the prototype.
  Object.defineProperty(copy, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
  return copy;
}

/** A copy without one field. */
export function withoutField(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** The value at a path of field names, or undefined. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (!isJsonObject(at)) return undefined;
    at = fieldOf(at, name);
  }
  return at;
}

/** Deep equality of JSON values; the order of an object's fields does not count. */
export function jsonEquals(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => jsonEquals(item, right[index]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every(
    (name) => Object.hasOwn(right, name) && jsonEquals(left[name], fieldOf(right, name)),
  );
}
