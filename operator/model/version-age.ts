const STABILITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1, '': 2 };

/**
 * Orders versions by age like Kubernetes, oldest first: names of any other format, then `v1alpha1`,
 * `v1beta1`, `v1beta2`, `v1`, `v2`.
 */
export function byAge(a: string, b: string): number {
  const [first, second] = [ageOf(a), ageOf(b)];
  if (first === undefined && second === undefined) return a < b ? 1 : -1;
  if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
  const at = first.findIndex((part, index) => part !== second[index]);
  return at < 0 ? 0 : (first[at] ?? 0) - (second[at] ?? 0);
}

/**
 * The stability, the major number and the minor number of a version; undefined for a name of any other
 * format.
 */
function ageOf(version: string): readonly number[] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stability = '', minor = '0'] = match;
  return [STABILITY[stability] ?? 0, Number(major), Number(minor)];
}
