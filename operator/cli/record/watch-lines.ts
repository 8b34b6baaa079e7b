import type { Budget } from './kept-bytes.ts';
import type { RecordLimits, WatchChunk } from './recorded-exchange.ts';

/** The events of a watch: whole lines, with the times at which they arrived. */
export class WatchLines {
  readonly #limits: RecordLimits;
  readonly #budget: Budget;
  readonly #startedAt: number;
  readonly #chunks: WatchChunk[] = [];
  readonly #decoder = new TextDecoder();
  #rest = '';
  #kept = 0;
  #endedAt: number | undefined;

  constructor(limits: RecordLimits, budget: Budget, startedAt: number) {
    this.#limits = limits;
    this.#budget = budget;
    this.#startedAt = startedAt;
  }

  get chunks(): readonly WatchChunk[] {
    return this.#chunks;
  }

  /** The time at which a limit ended the recording of the watch. Undefined before that. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  add(bytes: Buffer, at: number): void {
    if (this.#endedAt !== undefined) return;
    const { watchBytes, watchMs } = this.#limits;
    const isOver = this.#kept + bytes.length > watchBytes || at - this.#startedAt > watchMs;
    if (isOver || !this.#budget.take(bytes.length)) {
      this.#endedAt = Math.min(at, this.#startedAt + watchMs);
      return;
    }
    this.#kept += bytes.length;
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    this.#rest = text.slice(end);
    if (end > 0) this.#chunks.push({ at, data: text.slice(0, end) });
  }

  /** Releases the bytes. */
  release(): void {
    this.#budget.give(this.#kept);
    this.#kept = 0;
  }
}
