import type { AttemptEnd } from '../../controller/run/middleware.ts';
import type { OutcomeLine } from '../record-line.ts';
import { recordedError } from '../recording-transport.ts';
import { type Difference, shownRequest } from './difference.ts';
import type { RecordedAttempt, RecordedExchange } from './recorded/recorded-run.ts';
import type { ReplayedAttempt } from './replayed-attempt.ts';

/**
 * Two delays count as equal if they differ by at most this many milliseconds. Delays that depend on the clock
 * differ by the processing time.
 */
const SAME_DELAY_MS = 1_000;
const SAME_DELAY_SHARE = 0.1;

/** How the end of an attempt differs from the recorded end. Undefined when both are the same. */
export function outcomeDifference(
  attempt: ReplayedAttempt,
  recorded: OutcomeLine,
  end: AttemptEnd,
  now: number,
): Difference | undefined {
  if (recorded.result === 'aborted' || isSame(recorded, end)) return undefined;
  return {
    ...common(attempt, now),
    kind: 'outcome',
    recorded: `the attempt ended with ${shownOutcome(recorded)}`,
    now: `it ended with ${shownEnd(end)}`,
    details: [],
  };
}

/** The difference for an attempt that ended without making a recorded write. */
export function missingWrite(
  attempt: ReplayedAttempt,
  missing: RecordedExchange,
  end: AttemptEnd,
  now: number,
): Difference {
  return {
    ...common(attempt, now),
    kind: 'no-write',
    recorded: shownRequest(missing.request),
    now: `no such write: the attempt ended with ${shownEnd(end)}`,
    details: [],
  };
}

/**
 * The difference for a missing write that the recorded code did not await, so that it was sent after the end
 * of the attempt.
 */
export function lateWriteMissing(
  { begin: { controller, key }, number }: RecordedAttempt,
  { request }: RecordedExchange,
): Difference {
  return {
    ...{ at: request.at, controller, key, attempt: number, kind: 'no-write' },
    recorded: `${shownRequest(request)}, after the attempt had ended`,
    now: 'no such write',
    details: [],
  };
}

/** The difference for an attempt that does not end. */
export function endDifference(attempt: ReplayedAttempt, outcome: OutcomeLine): Difference {
  return {
    ...common(attempt, outcome.at),
    kind: 'no-end',
    recorded: `the attempt ended with ${shownOutcome(outcome)}`,
    now: 'it still runs',
    details: [],
  };
}

function common(
  { controller, key, recorded }: ReplayedAttempt,
  at: number,
): Pick<Difference, 'at' | 'controller' | 'key' | 'attempt'> {
  return { at, controller, key, attempt: recorded?.number };
}

function isSame(recorded: OutcomeLine, end: AttemptEnd): boolean {
  if (recorded.result !== end.outcome) return false;
  // The delay after a failure is random, so it is not compared.
  if (recorded.result !== 'requeue_after') {
    const code = end.error && recordedError(end.error).code;
    return code === recorded.error?.code;
  }
  const [before = 0, after = 0] = [recorded.requeueAfterMs, end.requeueAfterMs];
  return Math.abs(before - after) <= Math.max(SAME_DELAY_MS, before * SAME_DELAY_SHARE);
}

function shownOutcome({ result, requeueAfterMs, error }: OutcomeLine): string {
  return shownResult(result, requeueAfterMs, error?.message);
}

function shownEnd({ outcome, requeueAfterMs, error }: AttemptEnd): string {
  return shownResult(outcome, requeueAfterMs, error?.message);
}

function shownResult(
  result: string,
  requeueAfterMs: number | undefined,
  message: string | undefined,
): string {
  const after = result === 'requeue_after' ? `, to begin again after ${requeueAfterMs} ms` : '';
  return `${result}${after}${message === undefined ? '' : `: ${message}`}`;
}
