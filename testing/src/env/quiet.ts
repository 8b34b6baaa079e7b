import { performance } from 'node:perf_hooks';
import { settleSockets } from '../faults/settle-sockets.ts';

/** Rounds without any change after which nothing is on its way any more, though sockets or threads were busy. */
const ROUNDS = 2;

/** A process that does not come to rest within so many rounds is in a loop. */
const MAX_ROUNDS = 2_000;

/**
 * Resolves to true when nothing happens any more unless time passes, between parts of this process
 * that speak over sockets: false when that does not come to be.
 *
 * @param activity - a text that changes with everything that happens.
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

/** How often a socket or a thread had something for this process. When none has in a whole round, no one is asked or answers. */
function socketEvents(): number {
  return performance.nodeTiming.uvMetricsInfo.events;
}
