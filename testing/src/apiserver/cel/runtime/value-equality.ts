/** Whether two CEL values are equal. Numbers are compared by value, lists and objects by content. */
export function celEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) return typeof a !== typeof b && Number(a) === Number(b);
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  if (a instanceof Map) return b instanceof Map && sameFields(a, b);
  if (isComparable(a) && isComparable(b)) return a.equals(b);
  return false;
}

/** A value with its own `equals`, such as a quantity or an address. */
interface Comparable {
  equals(other: unknown): boolean;
}

function isComparable(value: unknown): value is Comparable {
  return typeof value === 'object' && value !== null && 'equals' in value;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, at) => celEquals(item, b[at]));
}

function sameFields(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (!b.has(key) || !celEquals(value, b.get(key))) return false;
  return true;
}
