import { OperatorError } from 'chancery/internal-objects';
import type { FakeClock } from '../time/fake-clock.ts';

/**
 * Turns of the event loop in which bytes between two sockets of one process arrive: the kernel's
 * loopback delivers at once, so that it takes turns and no time. A request through a proxy needs
 * about ten.
 */
const TURNS = 30;

/**
 * Lets everything happen that sockets of this process have begun between them: connects, requests,
 * answers, closes. For small messages; wait for large bodies with `eventually`.
 */
export function settleSockets(): Promise<void> {
  return new Promise((resolve) => {
    let turn = 0;
    // No promise for each turn: tests on a clock of their own take hundreds of thousands of them.
    const next = (): void => {
      if (turn++ === TURNS) resolve();
      else setImmediate(next);
    };
    next();
  });
}

export interface AdvanceUntilOptions {
  /** Most that the clock may be advanced. Default 10 minutes. */
  readonly withinMs?: number;
}

/**
 * Advances `clock` from alarm to alarm, and lets sockets settle in between, until `condition` holds.
 *
 * Time moves only when nothing else does, so that a wait of 30 s takes milliseconds, and what code
 * reads from the clock is what it would have read.
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
    // A second at most: an alarm that is set by what is still on its way must not be passed over.
    clock.advance(Math.min(clock.nextInMs ?? leftMs, 1_000, leftMs));
  }
  throw new OperatorError(`the condition did not hold within ${withinMs} ms of the clock`, {
    code: 'USER_CODE',
    layer: 'user-code',
  });
}
