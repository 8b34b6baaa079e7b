import type { KubernetesObject } from 'chancery';
import { BASELINE, type Baseline, readBaseline } from './baseline.ts';

/** Rewrites in a row before people are told: a single one is a manager that has applied its own state once. */
const TOLD_AT = 3;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 3_600_000;

interface Written {
  readonly uid: string | undefined;
  readonly text: string;
  readonly baseline: Baseline;
  /** How often the same text had to be written again. */
  times: number;
  /** `clock.monotonic()` of the last write. */
  atMs: number;
}

/**
 * The baselines that this process has written, by workload. A manager that replaces a workload again and again
 * takes the baseline away with each write: then the memory counts, and is written less and less often.
 *
 * Losing it costs nothing but more writes: the workload is looked at as for the first time.
 */
export class BaselineMemory {
  readonly #written = new Map<string, Written>();

  /** What was written for this very object; empty if nothing was. */
  of(owner: string, { metadata }: KubernetesObject): Baseline {
    const written = this.#written.get(owner);
    return written?.uid === metadata.uid ? (written?.baseline ?? {}) : {};
  }

  /** Milliseconds until `text` may be written; 0 or less: now. Only the same text again has to wait. */
  leftMs(owner: string, text: string | null | undefined, nowAtMs: number): number {
    const written = this.#written.get(owner);
    if (written === undefined || written.text !== text || written.times === 0) return 0;
    return written.atMs + waitMs(written.times) - nowAtMs;
  }

  /** Takes note of a write. Answers how often in a row the text was taken away, once people should know. */
  wrote(
    owner: string,
    { metadata }: KubernetesObject,
    text: string | null | undefined,
    nowAtMs: number,
  ): number | undefined {
    if (text === undefined) return undefined;
    if (text === null) {
      this.forget(owner);
      return undefined;
    }
    const before = this.#written.get(owner);
    const again = before?.text === text && before.uid === metadata.uid;
    // Undisturbed for long: what takes it away now is not the loop of before.
    const inRow = again && nowAtMs - before.atMs <= 2 * waitMs(before.times) + MIN_QUIET_MS;
    const times = inRow ? before.times + 1 : again ? 1 : 0;
    const baseline = readBaseline({ [BASELINE]: text });
    this.#written.set(owner, { uid: metadata.uid, text, baseline, times, atMs: nowAtMs });
    return times >= TOLD_AT ? times : undefined;
  }

  /** The workload is gone. */
  forget(owner: string): void {
    this.#written.delete(owner);
  }
}

const MIN_QUIET_MS = 60_000;

function waitMs(times: number): number {
  return times < 2 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (times - 2), MAX_WAIT_MS);
}
