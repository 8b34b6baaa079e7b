const ORDERED = /^[1-9][0-9]*$/;

/**
 * Compares two resourceVersions of the same resource by the rule of KEP-5504: decimal strings
 * without leading zero are ordered by length, then by text. No number is made of them, so that 39
 * digits are as good as two.
 *
 * @returns negative, zero or positive; undefined when they are different and not comparable.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!ORDERED.test(a) || !ORDERED.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** True only when both are comparable and `a` is older than `b`. */
export function isOlder(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}

/** True for a resourceVersion that can be ordered against another one. */
export function isOrdered(resourceVersion: string): boolean {
  return ORDERED.test(resourceVersion);
}
