import process from 'node:process';
import type { VirtualWorld } from './virtual-globals.ts';

/** What `process.getActiveResourcesInfo` calls a file that is being opened, read or closed. */
const READING = /^(?:FSReq\w*|CloseReq)$/;

/** Maximum turns of the event loop to wait for. A world may set immediates or read files without end. */
const MOST_TURNS = 100_000;

/** The original `setImmediate` of Node, because calls of the replacement in a world are counted. */
const realSetImmediate = globalThis.setImmediate;

/**
 * Lets everything run in a world that can run without the world's clock: promises, ticks, immediates and
 * reads of files. Does not wait for sockets, timers of Node and work in threads, such as compression, nor for
 * immediates of code outside of the world.
 */
export async function settleWorld(world: VirtualWorld): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    await nextTurn();
    if (world.immediates === 0 && !isReading()) break;
  }
  // Code that has kept the original `setImmediate` of Node is not counted. So it gets a turn as well.
  await nextTurn();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}

function isReading(): boolean {
  return process.getActiveResourcesInfo().some((name) => READING.test(name));
}
