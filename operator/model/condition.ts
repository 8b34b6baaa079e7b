/** One observation of an object's state, as in the Kubernetes API conventions. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase word for programs. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  readonly observedGeneration?: number;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime: string;
}

/**
 * `conditions` with one condition set.
 *
 * `lastTransitionTime` changes only when `status` does. Order is kept; a new type goes last. When
 * nothing changes, the same array is returned, so that the caller can skip the write.
 *
 * @param nowMs - wall time, from the clock.
 */
export function setCondition(
  conditions: readonly Condition[],
  wanted: Omit<Condition, 'lastTransitionTime'>,
  nowMs: number,
): readonly Condition[] {
  const current = conditions.find((condition) => condition.type === wanted.type);
  const lastTransitionTime =
    current?.status === wanted.status ? current.lastTransitionTime : rfc3339(nowMs);
  const next: Condition = { ...wanted, lastTransitionTime };
  if (current === undefined) return [...conditions, next];
  if (isSame(current, next)) return conditions;
  return conditions.map((condition) => (condition === current ? next : condition));
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}

/** RFC 3339 in whole seconds, the form of `metav1.Time`. */
export function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 with exactly six fractional digits, the only form that `metav1.MicroTime` accepts. */
export function rfc3339Micro(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
