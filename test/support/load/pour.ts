import type { Writable } from 'node:stream';

/** Writes as fast as the other side reads; what has been closed takes nothing any more. */
export async function pour(to: Writable, blocks: readonly Buffer[]): Promise<void> {
  for (const block of blocks) {
    if (to.destroyed) return;
    if (!to.write(block)) await drained(to);
  }
}

/** One pair of listeners for each wait, both gone when it ends. */
function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.once('drain', done);
    stream.once('close', done);
  });
}
