import type { KubernetesObject } from 'chancery';
import { BASELINE, type Baseline, readBaseline } from './baseline.ts';
import { RepeatedWrites } from './repeated-writes.ts';

/** Rewrites in a row before people are told: a single one is a manager that has applied its own state once. */
const TOLD_AT = 3;

/**
 * The baselines that this process has written, by workload. A manager that replaces a workload again and again
 * takes the baseline away with each write: then the memory counts, and is written less and less often.
 *
 * Losing it costs nothing but more writes: the workload is looked at as for the first time.
 */
export class BaselineMemory {
  readonly #writes = new RepeatedWrites();
  readonly #written = new Map<
    string,
    { readonly uid: string | undefined; readonly baseline: Baseline }
  >();

  /** What was written for this very object; empty if nothing was. */
  of(owner: string, { metadata }: KubernetesObject): Baseline {
    const written = this.#written.get(owner);
    return written?.uid === metadata.uid ? (written?.baseline ?? {}) : {};
  }

  /** Milliseconds until `text` may be written; 0 or less: now. Only the same text again has to wait. */
  leftMs(owner: string, text: string | null | undefined, nowAtMs: number): number {
    return this.#writes.leftMs(owner, text, nowAtMs);
  }

  /** Takes note of a write. Answers how often in a row the text was taken away, once people should know. */
  wrote(
    owner: string,
    workload: KubernetesObject,
    text: string | null | undefined,
    nowAtMs: number,
  ): number | undefined {
    if (text === undefined) return undefined;
    if (text === null) {
      this.forget(owner);
      return undefined;
    }
    const baseline = readBaseline({ [BASELINE]: text });
    this.#written.set(owner, { uid: workload.metadata.uid, baseline });
    const times = this.#writes.wrote(owner, workload, text, nowAtMs);
    return times >= TOLD_AT ? times : undefined;
  }

  /** The workload is gone. */
  forget(owner: string): void {
    this.#written.delete(owner);
    this.#writes.forget(owner);
  }
}
