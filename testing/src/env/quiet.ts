import { performance } from 'node:perf_hooks';
import { settleSockets } from '../faults/settle-sockets.ts';

/**
 * If there was no activity in this number of rounds, nothing is pending, even if sockets or threads
 * still had events.
 */
const ROUNDS = 2;

/** A process that does not become quiet within this number of rounds is in a loop. */
const MAX_ROUNDS = 2_000;

/**
 * Waits until the server and the clients in this process have nothing more to do until a timer
 * fires. Resolves to false if that never happens, otherwise to true.
 *
 * @param activity - returns a string that changes with every activity.
 */
export async function untilQuiet(activity: () => string): Promise<boolean> {
  let before = activity();
  let eventsBefore = socketEvents();
  let quiet = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await settleSockets();
    const now = activity();
    const events = socketEvents();
    quiet = now === before ? quiet + 1 : 0;
    if (quiet === ROUNDS || (quiet > 0 && events === eventsBefore)) return true;
    before = now;
    eventsBefore = events;
  }
  return false;
}

/**
 * The number of events from sockets and threads so far. If it does not change in a whole round, no
 * request or answer is pending.
 */
function socketEvents(): number {
  return performance.nodeTiming.uvMetricsInfo.events;
}
