import { constants, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { Clock } from '../core/clock.ts';

/** How soon a pipeline ends whose reader has left while nothing happens. */
const CHECK_MS = 1_000;

/**
 * Closes `output` when the reader of the pipe behind `stream` has left, even while there is nothing
 * to write: `chancery watch pods | head -1` must not wait for the next event.
 *
 * A pipe says so only to who writes, or opens it anew: without a reader that fails with `ENXIO`.
 * Only Linux has a name for an anonymous pipe; elsewhere the next write finds out.
 */
export function closeWhenReaderLeaves(
  stream: Writable,
  output: { readonly signal: AbortSignal; close(): void },
  clock: Clock,
): Disposable {
  const path = pipePath(stream);
  let cancel = (): void => {};
  const check = async (): Promise<void> => {
    if (output.signal.aborted || path === undefined) return;
    if (await isWithoutReader(path)) output.close();
    else cancel = clock.schedule(CHECK_MS, () => void check());
  };
  if (path !== undefined) cancel = clock.schedule(CHECK_MS, () => void check());
  return {
    [Symbol.dispose]() {
      cancel();
    },
  };
}

function pipePath(stream: Writable): string | undefined {
  const { fd } = stream as { readonly fd?: unknown };
  if (process.platform !== 'linux' || typeof fd !== 'number') return undefined;
  return fstatSync(fd).isFIFO() ? `/proc/self/fd/${fd}` : undefined;
}

async function isWithoutReader(path: string): Promise<boolean> {
  try {
    const pipe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    await pipe.close();
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENXIO';
  }
}
