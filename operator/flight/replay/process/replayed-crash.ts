import process from 'node:process';
import { messageOf, OperatorError } from '../../../core/errors.ts';
import type { HeaderLine } from '../../record-line.ts';
import { shownAt } from '../difference.ts';

/** An error that the replayed code has thrown and that was not caught. */
export interface ReplayedCrash {
  readonly error: unknown;
  /** Milliseconds since the recorder began. */
  readonly at: number;
}

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * A crash counts as the recorded crash if it is at most this many milliseconds before the end of the record.
 * A recorded crash is at the end of its record, but in a replay processing takes no time, so the replayed
 * crash is earlier.
 */
const SAME_CRASH_MS = 5_000;

/**
 * Calls `crashed` with each uncaught error, until the returned function is called. So a crash of the replayed
 * code does not end the process that replays it.
 */
export function catchCrashes(crashed: (error: unknown) => void): () => void {
  const others = EVENTS.map((name) => [name, process.rawListeners(name)] as const);
  for (const name of EVENTS) process.removeAllListeners(name).on(name, crashed);
  return () => {
    for (const [name, listeners] of others) {
      process.off(name, crashed);
      for (const listener of listeners) process.on(name, listener as never);
    }
  };
}

/**
 * A note for people that explains a crash of the replayed code.
 *
 * @param hasLeft - true if the replay had already differed from the record when it crashed.
 * @throws OperatorError `USER_CODE` when the crash is the first difference, because the recorded code did not
 *   crash.
 */
export function crashNote(
  { error, at }: ReplayedCrash,
  { reason, to, why }: Pick<HeaderLine, 'reason' | 'to' | 'why'>,
  hasLeft: boolean,
): string {
  const message = messageOf(error);
  if (hasLeft) return `then the code crashes at ${shownAt(at)}, where the replay ends: ${message}`;
  if (reason !== 'crash' || to - at > SAME_CRASH_MS) {
    throw new OperatorError(
      `the replayed code crashes at ${shownAt(at)}, and the recorded code did not: ${message}`,
      { code: 'USER_CODE', layer: 'user-code', cause: error },
    );
  }
  const before = why === undefined || why === message ? '' : `, there with ${why}`;
  return `the replay ends with the crash that was recorded: ${message}${before}`;
}
