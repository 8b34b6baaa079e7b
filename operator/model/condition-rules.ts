import { OperatorError } from '../core/errors.ts';
import type { Condition } from './condition.ts';
import { DNS_SUBDOMAIN } from './dns-name.ts';

/** What the API's own schema of a condition asks of each field. */
const TYPE = new RegExp(`^(${DNS_SUBDOMAIN}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`);
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const STATUSES: readonly string[] = ['True', 'False', 'Unknown'];
const MAX_TYPE_CHARS = 316;
const MAX_REASON_CHARS = 1_024;
const MAX_MESSAGE_CHARS = 32_768;

/**
 * Returns when the API server takes such a condition.
 *
 * @throws OperatorError `USER_CODE` that names the field and its rule: an answer 422 would name it
 *   too, but only on a cluster, and only once that condition comes to be.
 */
export function requireValidCondition(
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

/** In characters as the API server counts them, not in UTF-16 units. */
function lengthOf(text: string): number {
  if (typeof text !== 'string') return Number.POSITIVE_INFINITY;
  return text.length <= MAX_MESSAGE_CHARS ? text.length : [...text].length;
}
