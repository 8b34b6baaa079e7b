import process from 'node:process';

/** Work that ends by itself and soon, as `process.getActiveResourcesInfo` names it. */
const UNDER_WAY = /^(?:Immediate|FSReq\w*|Zlib|\w*Job|GetAddrInfoReqWrap|RandomBytesRequest)$/;

/** A process that reads files without end is not waited for longer than this many turns of the event loop. */
const MOST_TURNS = 100_000;

/**
 * Lets the process run until nothing is left to do without the clock: promises, ticks, immediates and reads of files.
 * Sockets, timers of Node and other threads are not waited for.
 */
export async function atRest(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!process.getActiveResourcesInfo().some((name) => UNDER_WAY.test(name))) return;
  }
}
