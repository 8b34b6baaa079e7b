/** An object of JSON, which YAML calls a mapping. */
export type Mapping = Readonly<Record<string, unknown>>;

/** True for a mapping of keys to values, and false for null and for lists. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value` if it is a mapping; otherwise a mapping without members. */
export function mappingOf(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}
