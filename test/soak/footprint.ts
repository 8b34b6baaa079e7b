import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface MemorySample {
  readonly atMs: number;
  readonly bytes: number;
}

/** Memory in use in the second and in the last minute, see `memoryGrowth`. */
export interface MemoryGrowth {
  readonly secondMinuteBytes: number;
  readonly lastMinuteBytes: number;
  /** 0.1 is ten percent more. */
  readonly growth: number;
}

const MINUTE_MS = 60_000;

/** Samples on either side: the checkpoints of one minute. */
const COMPARED = 3;

/**
 * Measures the bytes of the heap and beside it that are in use, after a full collection. Resident memory would say how
 * much garbage there was between two collections at most: it does not shrink after that. A Box of 5,000 levels makes 12
 * MiB of garbage, and chance decides how many of them come in a row.
 */
export function memoryInUse(): () => number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  return () => {
    collectGarbage();
    collectGarbage(); // waits for the buffers that the first one has let go
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
}

/**
 * Compares the medians of the first three samples after the first minute, in which modules are loaded and compiled, and of
 * the last three. Undefined for a run of less than three minutes: there is nothing to compare.
 */
export function memoryGrowth(
  samples: readonly MemorySample[],
  ranMs: number,
): MemoryGrowth | undefined {
  if (ranMs < 3 * MINUTE_MS) return undefined;
  const warm = samples.filter(({ atMs }) => atMs >= MINUTE_MS);
  const secondMinuteBytes = medianBytes(warm.slice(0, COMPARED));
  const lastMinuteBytes = medianBytes(warm.slice(-COMPARED));
  return {
    secondMinuteBytes,
    lastMinuteBytes,
    growth: lastMinuteBytes / secondMinuteBytes - 1,
  };
}

/** NaN for no sample, so that no target is met. */
function medianBytes(samples: readonly MemorySample[]): number {
  const bytes = samples.map((sample) => sample.bytes).sort((a, b) => a - b);
  return bytes[Math.floor(bytes.length / 2)] ?? Number.NaN;
}

/** Timers, sockets and processes that were not there before; what is on its way gets 5 s to go. */
export async function leakedHandles(before: readonly string[]): Promise<readonly string[]> {
  const givenUpAt = performance.now() + 5_000;
  for (;;) {
    const known = [...before];
    const left = process.getActiveResourcesInfo().filter((handle) => {
      const at = known.indexOf(handle);
      if (at >= 0) known.splice(at, 1);
      return at < 0;
    });
    if (left.length === 0 || performance.now() > givenUpAt) return left;
    await wait(50);
  }
}
