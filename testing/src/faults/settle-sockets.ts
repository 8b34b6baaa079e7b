import { OperatorError } from 'chancery/internal-objects';
import type { FakeClock } from '../time/fake-clock.ts';

/**
 * The number of event loop turns in which bytes between two sockets of one process arrive. The
 * kernel's loopback delivers at once, so only turns are needed, and no time. A request through a
 * proxy needs about ten.
 */
const TURNS = 30;

/**
 * Waits until everything that sockets within this process have begun is complete: connects,
 * requests, answers, closes. This works for small messages. For large bodies use `eventually`.
 */
export function settleSockets(): Promise<void> {
  return new Promise((resolve) => {
    let turn = 0;
    // Avoids a promise per turn, because tests with their own clock take hundreds of thousands of
    // turns.
    const next = (): void => {
      if (turn++ === TURNS) resolve();
      else setImmediate(next);
    };
    next();
  });
}

export interface AdvanceUntilOptions {
  /** The largest time by which the clock may be advanced. Default 10 minutes. */
  readonly withinMs?: number;
}

/**
 * Advances `clock` from timer to timer until `condition` holds, and lets sockets settle in between.
 *
 * Time moves only when nothing else happens. A wait of 30 s takes milliseconds, and code reads the
 * same times from the clock as in a real wait.
 *
 * @throws OperatorError `USER_CODE` when the condition does not hold within `withinMs`.
 */
export async function advanceUntil(
  clock: FakeClock,
  condition: () => boolean,
  { withinMs = 600_000 }: AdvanceUntilOptions = {},
): Promise<void> {
  const givenUpAt = clock.monotonic() + withinMs;
  for (;;) {
    await settleSockets();
    if (condition()) return;
    const leftMs = givenUpAt - clock.monotonic();
    if (leftMs <= 0) break;
    // Advances by at most a second, so that alarms set by pending work are not skipped.
    clock.advance(Math.min(clock.nextInMs ?? leftMs, 1_000, leftMs));
  }
  throw new OperatorError(`the condition did not hold within ${withinMs} ms of the clock`, {
    code: 'USER_CODE',
    layer: 'user-code',
  });
}
