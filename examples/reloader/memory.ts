import { Debounce } from 'chancery/low-level';
import type { Problem } from './contract/annotations.ts';
import { BaselineMemory } from './record/baseline-memory.ts';
import { RepeatedWrites } from './record/repeated-writes.ts';

/**
 * What the reconciler of one kind knows besides the cluster. Losing it repeats a wait or an Event, and changes no
 * decision.
 */
export class Memory {
  readonly debounce: Debounce = new Debounce();
  readonly baselines: BaselineMemory = new BaselineMemory();
  /** What gates have written and removed, such as the pending annotation. */
  readonly gateWrites: RepeatedWrites = new RepeatedWrites();
  readonly #told = new Map<string, ReadonlySet<string>>();
  readonly #pending = new Map<string, string>();

  /** The problems of a workload that were not told yet. Those that are solved may be told again. */
  newProblems(owner: string, problems: readonly Problem[]): readonly Problem[] {
    const before = this.#told.get(owner);
    const texts = problems.map((each) => JSON.stringify(each));
    if (texts.length === 0) this.#told.delete(owner);
    else this.#told.set(owner, new Set(texts));
    return problems.filter((_, position) => before?.has(texts[position] ?? '') !== true);
  }

  /** A problem that blocks the restart of a workload; empty if an Event has reported it already. */
  newBlock(owner: string, problem: Problem): readonly Problem[] {
    const text = JSON.stringify(problem);
    const before = this.#told.get(owner) ?? new Set<string>();
    if (before.has(text)) return [];
    this.#told.set(owner, new Set([...before, text]));
    return [problem];
  }

  /** Takes note of the gate that a restart waits for. Answers whether that is news. */
  isNewReason(owner: string, reason: string | undefined): boolean {
    const before = this.#pending.get(owner);
    if (reason === undefined) this.#pending.delete(owner);
    else this.#pending.set(owner, reason);
    return before !== reason;
  }

  /** The workload is gone. */
  forget(owner: string): void {
    this.baselines.forget(owner);
    this.gateWrites.forget(owner);
    this.#told.delete(owner);
    this.#pending.delete(owner);
  }
}
