/**
 * A deep copy of `value`, of one's own. As structuredClone, which in Node 24 fails for a value of 2,000
 * levels; such a value is copied as JSON is: its objects, its arrays, and what has no parts.
 */
export function deepCopy<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch (error) {
    // The one thing of which it throws this: the value is nested more deeply than the call stack.
    if (error instanceof RangeError) return copyOfJson(value) as T;
    throw error;
  }
}

/** Each part once, so that a value that contains itself ends. */
function copyOfJson(value: unknown): unknown {
  const copies = new Map<object, object>();
  const waiting: object[] = [];
  const copyOf = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const known = copies.get(part);
    if (known !== undefined) return known;
    const copy: object = Array.isArray(part) ? [] : {};
    copies.set(part, copy);
    waiting.push(part);
    return copy;
  };
  const whole = copyOf(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const copy = copies.get(next) ?? {};
    for (const [key, part] of Object.entries(next)) {
      // By definition, not by assignment: a member may be named `__proto__`.
      const descriptor = {
        value: copyOf(part),
        writable: true,
        enumerable: true,
        configurable: true,
      };
      Object.defineProperty(copy, key, descriptor);
    }
  }
  return whole;
}
