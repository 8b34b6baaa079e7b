import { AmbassadorError, ProtocolError } from '../../core/errors.ts';
import type { ListConsistency } from '../list-watch.ts';
import type { WatchReport } from '../watch-once.ts';
import { type Action, SHORT_WATCH_MS } from './classify.ts';

/** An action, and the failure that caused it. */
export interface Decision extends Action {
  readonly error?: unknown;
}

/** The decision to list again at once, because the sink is known to be wrong. */
export const RELIST_NOW: Decision = Object.freeze({
  step: 'relist-latest',
  wait: 'none',
  atLeastMs: 0,
  reason: 'ended',
});

/** The decision to repeat the pending list at once in another way. */
export const REPEAT_NOW: Decision = Object.freeze({ ...RELIST_NOW, step: 'resume' });

/** True if a watch has delivered something or has lasted for a second. */
export function hasWorked({ lines, acceptedForMs }: WatchReport): boolean {
  return lines > 0 || (acceptedForMs ?? 0) >= SHORT_WATCH_MS;
}

/**
 * The list that must be made after a decision; undefined when the watch continues.
 *
 * @param due - the list to repeat, because its last attempt failed.
 * @param resourceVersion - the version of the sink; undefined before its first list.
 */
export function listAfter(
  { step, error }: Decision,
  due: ListConsistency | undefined,
  resourceVersion: string | undefined,
): ListConsistency | undefined {
  if (step === 'resume') return isTooBigAtOnce(due, error) ? { kind: 'latest' } : due;
  if (step === 'relist-latest' || resourceVersion === undefined) return { kind: 'latest' };
  return { kind: 'not-older-than', resourceVersion };
}

/**
 * True if a list may have failed because of its size. A list of the kind `not-older-than` has no pages. If
 * its answer is too large to arrive in time or in one piece, it would fail every time. So a list of the
 * latest state, which has pages, is made instead.
 */
function isTooBigAtOnce(due: ListConsistency | undefined, error: unknown): boolean {
  if (due === undefined || due.kind === 'latest') return false;
  if (error instanceof ProtocolError) return error.code === 'DECODE';
  return (
    error instanceof AmbassadorError &&
    (error.code === 'AMBASSADOR_TIMEOUT' || error.code === 'CONNECTION_LOST')
  );
}
