import type { KubernetesObject } from 'chancery';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 3_600_000;
const MIN_QUIET_MS = 60_000;

interface Written {
  readonly uid: string | undefined;
  readonly text: string;
  /** How often the same text had to be written again. */
  readonly times: number;
  /** `clock.monotonic()` of the last write. */
  readonly atMs: number;
}

/**
 * What was written to workloads, and how often it was taken away again. A text that has to be written again and again
 * is written less and less often: after 1 s, 2 s, 4 s, and so on, up to an hour.
 */
export class RepeatedWrites {
  readonly #written = new Map<string, Written>();

  /** Milliseconds until `text` may be written; 0 or less: now. Only the same text again has to wait. */
  leftMs(owner: string, text: string | null | undefined, nowAtMs: number): number {
    const written = this.#written.get(owner);
    if (written === undefined || written.text !== text || written.times === 0) return 0;
    return written.atMs + waitMs(written.times) - nowAtMs;
  }

  /** Takes note of a write. Answers how often in a row the text was taken away. */
  wrote(owner: string, { metadata }: KubernetesObject, text: string, nowAtMs: number): number {
    const before = this.#written.get(owner);
    const again = before?.text === text && before.uid === metadata.uid;
    // Undisturbed for long: what takes it away now is not the loop of before.
    const inRow = again && nowAtMs - before.atMs <= 2 * waitMs(before.times) + MIN_QUIET_MS;
    const times = inRow ? before.times + 1 : again ? 1 : 0;
    this.#written.set(owner, { uid: metadata.uid, text, times, atMs: nowAtMs });
    return times;
  }

  /** The workload is gone, or nothing is written to it any more. */
  forget(owner: string): void {
    this.#written.delete(owner);
  }
}

function waitMs(times: number): number {
  return times < 2 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (times - 2), MAX_WAIT_MS);
}
