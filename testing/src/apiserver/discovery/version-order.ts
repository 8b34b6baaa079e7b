const STABILITY: Readonly<Record<string, number>> = { '': 2, beta: 1, alpha: 0 };

/**
 * Compares versions in the order that Kubernetes prefers: `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, then
 * all other names in alphabetical order.
 *
 * @returns a negative number when `a` comes first.
 */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  if (first === undefined || second === undefined) {
    if (first !== undefined) return -1;
    return second === undefined ? compareText(a, b) : 1;
  }
  const at = first.findIndex((part, index) => part !== second[index]);
  return at < 0 ? 0 : (second[at] ?? 0) - (first[at] ?? 0);
}

/** The stability, the major number and the minor number of a version; undefined for a name like `foo`. */
function rankOf(version: string): readonly number[] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stability = '', minor = '0'] = match;
  return [STABILITY[stability] ?? 0, Number(major), Number(minor)];
}

/** Compares strings by code units, like Go. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
