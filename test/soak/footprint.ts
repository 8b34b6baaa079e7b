import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface MemorySample {
  readonly bytes: number;
  /** How often each kind of fault has come before, at least. */
  readonly faultRounds: number;
}

/** Memory in use after the warm-up and at the end, see `memoryGrowth`. */
export interface MemoryGrowth {
  readonly warmBytes: number;
  readonly endBytes: number;
  /** 0.1 is ten percent more. */
  readonly growth: number;
}

/** Until each kind of fault has come so often, more modules are loaded and compiled: on a slow machine for minutes. */
const WARM_ROUNDS = 2;

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
 * Compares the medians of the first three samples after the warm-up and of the last three. Undefined for a run that is too
 * short for six such samples.
 */
export function memoryGrowth(samples: readonly MemorySample[]): MemoryGrowth | undefined {
  const warm = samples.filter(({ faultRounds }) => faultRounds >= WARM_ROUNDS);
  if (warm.length < 2 * COMPARED) return undefined;
  const warmBytes = medianBytes(warm.slice(0, COMPARED));
  const endBytes = medianBytes(warm.slice(-COMPARED));
  return { warmBytes, endBytes, growth: endBytes / warmBytes - 1 };
}

function medianBytes(samples: readonly MemorySample[]): number {
  const bytes = samples.map((sample) => sample.bytes).sort((a, b) => a - b);
  return bytes[Math.floor(bytes.length / 2)] ?? 0;
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
