import { OperatorError } from '../core/errors.ts';
import { DNS_SUBDOMAIN } from './dns-name.ts';

// The condition types that programs such as `kubectl wait` and `kstatus` expect on objects of any kind

/** True when the object works as intended. Every object that a controller acts upon should have it. */
export const READY = 'Ready' as const;
/** True while the controller is working towards the wanted state. Absent otherwise. */
export const RECONCILING = 'Reconciling' as const;
/** True when the object cannot reach the wanted state by itself. The reason says why. Absent otherwise. */
export const STALLED = 'Stalled' as const;

/** One observation of an object's state, as in the Kubernetes API conventions. */
export interface Condition {
  /** CamelCase. Unique in a list of conditions. */
  readonly type: string;
  /** Is `Unknown` when the controller cannot tell whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** A CamelCase word for programs. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  /** The `metadata.generation` that the condition describes. */
  readonly observedGeneration?: number;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime: string;
}

/** A condition to set. Pass `lastTransitionTime` if you know when the status changed. */
export type WantedCondition = Omit<Condition, 'lastTransitionTime'> &
  Partial<Pick<Condition, 'lastTransitionTime'>>;

/**
 * Returns `conditions` with one condition added or changed.
 *
 * `lastTransitionTime` changes only when `status` changes. The order of the conditions stays, and a new type
 * is added at the end. When nothing changes, the function returns the same array, so that the caller can skip
 * the write.
 *
 * @param nowMs - wall time, from the clock.
 * @throws OperatorError `USER_CODE` for a condition that the API server would refuse.
 */
export function setCondition(
  conditions: readonly Condition[],
  wanted: WantedCondition,
  nowMs: number,
): readonly Condition[] {
  requireValidCondition(wanted);
  const current = findCondition(conditions, wanted.type);
  const lastTransitionTime =
    current?.status === wanted.status
      ? current.lastTransitionTime
      : (wanted.lastTransitionTime ?? rfc3339(nowMs));
  const next: Condition = { ...wanted, lastTransitionTime };
  if (current === undefined) return [...conditions, next];
  if (isSame(current, next)) return conditions;
  return conditions.map((condition) => (condition === current ? next : condition));
}

/** The condition with the type `type`; undefined if there is none. */
export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * True when the condition with the type `type` has the status `True`. False if it has another status or does
 * not exist.
 */
export function isConditionTrue(
  conditions: readonly Condition[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}

/** The time in the format of RFC 3339 with whole seconds, as `metav1.Time` requires. */
export function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/**
 * The time in the format of RFC 3339 with exactly six fractional digits, the only format that
 * `metav1.MicroTime` accepts.
 */
export function rfc3339Micro(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

/** The rules of the API's schema for the fields of a condition. */
const TYPE = new RegExp(`^(${DNS_SUBDOMAIN}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`);
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const STATUSES: readonly string[] = ['True', 'False', 'Unknown'];
const MAX_TYPE_CHARS = 316;
const MAX_REASON_CHARS = 1_024;
const MAX_MESSAGE_CHARS = 32_768;

/**
 * Checks that the API server would accept the condition.
 *
 * @throws OperatorError `USER_CODE` when the API server would refuse the condition. The message contains the
 *   field and the rule that it breaks. Without this check, the mistake would first cause a 422 when the
 *   condition is set on a cluster.
 */
function requireValidCondition(
  condition: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
): void {
  const { type, status, reason, message } = condition;
  check('type', type, matches(type, TYPE, MAX_TYPE_CHARS), 'a name of letters, 316 at most');
  check('status', status, STATUSES.includes(status), 'True, False or Unknown');
  check('reason', reason, matches(reason, REASON, MAX_REASON_CHARS), 'a CamelCase word');
  check('message', '', lengthOf(message) <= MAX_MESSAGE_CHARS, '32768 characters at most');

  function check(field: string, value: string, holds: boolean, rule: string): void {
    if (holds) return;
    throw new OperatorError(`the ${field} of a condition must be ${rule}`, {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { condition: String(type).slice(0, 80), [field]: String(value).slice(0, 80) },
    });
  }
}

function matches(text: string, pattern: RegExp, maxChars: number): boolean {
  return typeof text === 'string' && text.length <= maxChars && pattern.test(text);
}

/** The length of a text in characters as the API server counts them, not in UTF-16 units. */
function lengthOf(text: string): number {
  if (typeof text !== 'string') return Number.POSITIVE_INFINITY;
  return text.length <= MAX_MESSAGE_CHARS ? text.length : [...text].length;
}
