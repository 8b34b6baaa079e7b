import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface MemorySample {
  readonly atMs: number;
  readonly bytes: number;
}

/** Resident memory in the second and in the last minute. */
export interface MemoryGrowth {
  readonly secondMinuteBytes: number;
  readonly lastMinuteBytes: number;
  /** 0.1 is ten percent more. */
  readonly growth: number;
}

const MINUTE_MS = 60_000;

/**
 * A full collection now. Without one, resident memory says for minutes how much garbage V8 has found
 * worth keeping, and a leak of the same size could not be told from it.
 */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Undefined for a run of less than three minutes: there is nothing to compare. */
export function memoryGrowth(
  samples: readonly MemorySample[],
  ranMs: number,
): MemoryGrowth | undefined {
  if (ranMs < 3 * MINUTE_MS) return undefined;
  const secondMinuteBytes = medianBytes(samples, MINUTE_MS, 2 * MINUTE_MS);
  const lastMinuteBytes = medianBytes(samples, ranMs - MINUTE_MS, ranMs);
  return {
    secondMinuteBytes,
    lastMinuteBytes,
    growth: lastMinuteBytes / secondMinuteBytes - 1,
  };
}

function medianBytes(samples: readonly MemorySample[], fromMs: number, toMs: number): number {
  const bytes = samples
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .map((sample) => sample.bytes)
    .sort((a, b) => a - b);
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
