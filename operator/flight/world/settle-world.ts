import process from 'node:process';
import type { VirtualWorld } from './virtual-globals.ts';

/** A file that is opened, read or closed, as `process.getActiveResourcesInfo` names it. */
const READING = /^(?:FSReq\w*|CloseReq)$/;

/** A world that sets immediates or reads files without end is not waited for longer than this many turns of the event loop. */
const MOST_TURNS = 100_000;

/** That of Node: the one of a world is counted. */
const realSetImmediate = globalThis.setImmediate;

/**
 * Lets everything of a world run that can run without its clock: promises, ticks, immediates and reads of files.
 * Sockets, timers of Node and work in threads, such as compressing, are not waited for, nor are immediates of code outside of
 * the world.
 */
export async function settleWorld(world: VirtualWorld): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    await nextTurn();
    if (world.immediates === 0 && !isReading()) break;
  }
  // Code that has kept Node's own `setImmediate` is not counted: it gets a turn, too.
  await nextTurn();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}

function isReading(): boolean {
  return process.getActiveResourcesInfo().some((name) => READING.test(name));
}
