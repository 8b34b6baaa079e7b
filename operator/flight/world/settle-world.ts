import process from 'node:process';
import type { VirtualWorld } from './virtual-globals.ts';

/** A file that is opened, read or closed, as `process.getActiveResourcesInfo` names it. */
const READING = /^(?:FSReq\w*|CloseReq)$/;

/** The most turns of the event loop to wait for a world that sets immediates or reads files without end. */
const MOST_TURNS = 100_000;

/** The original `setImmediate` of Node: the replacement in a world is counted. */
const realSetImmediate = globalThis.setImmediate;

/**
 * Lets everything in a world run that can run without its clock: promises, ticks, immediates and reads of
 * files. It does not wait for sockets, timers of Node and work in threads, such as compression, nor for
 * immediates of code outside of the world.
 */
export async function settleWorld(world: VirtualWorld): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    await nextTurn();
    if (world.immediates === 0 && !isReading()) break;
  }
  // Code that kept the original `setImmediate` of Node is not counted, so it gets a turn, too.
  await nextTurn();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}

function isReading(): boolean {
  return process.getActiveResourcesInfo().some((name) => READING.test(name));
}
