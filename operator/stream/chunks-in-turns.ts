import type { Readable } from 'node:stream';
import { nextTurn } from '../core/turns.ts';

/**
 * Bytes that one turn of the event loop reads: 2 to 3 ms of work. A socket that has more delivers up to
 * 2 MiB (32 reads of 64 KiB, by libuv) without letting a timer run.
 */
const BYTES_A_TURN = 512 * 1024;

/** The chunks of `body`. Behind each 512 KiB the event loop turns, so that probes and Leases are not late. */
export async function* chunksInTurns(body: Readable): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    yield chunk;
    bytes += chunk.length;
    if (bytes < BYTES_A_TURN) continue;
    bytes = 0;
    await nextTurn();
  }
}
