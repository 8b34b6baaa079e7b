import process from 'node:process';
import type { VirtualWorld } from './virtual-globals.ts';

/** Matches the names in `process.getActiveResourcesInfo` for a file that is being opened, read or closed. */
const READING = /^(?:FSReq\w*|CloseReq)$/;

/** Maximum turns of the event loop to wait for. A world may set immediates or read files without end. */
const MOST_TURNS = 100_000;

/** The original `setImmediate` of Node, because calls of the replacement in a world are counted. */
const realSetImmediate = globalThis.setImmediate;

/**
 * Waits until everything in a world has run that does not need the world's clock: promises, ticks, immediates
 * and reads of files. It does not wait for sockets, timers of Node, work in threads such as compression, or
 * immediates of code outside of the world.
 */
export async function settleWorld(world: VirtualWorld): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    await nextTurn();
    if (world.immediates === 0 && !isReading()) break;
  }
  // Immediates of code that still uses Node's original `setImmediate` are not counted. So there is one more
  // turn for them.
  await nextTurn();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}

function isReading(): boolean {
  return process.getActiveResourcesInfo().some((name) => READING.test(name));
}
