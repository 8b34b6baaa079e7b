import type { FigureName, Figures } from './figures.ts';
import { type Summary, summarise } from './statistics.ts';
import type { SubjectName } from './subjects.ts';
import type { WorkName } from './works.ts';

/** A figure of one subject at one work. */
export interface FigureOf {
  readonly work: WorkName;
  readonly subject: SubjectName;
  readonly figure: FigureName;
}

/** What all rounds have measured. */
export class Results {
  /** By subject and figure, then by round. */
  readonly #values = new Map<string, Map<number, number>>();
  readonly #rounds = new Set<number>();

  add(round: number, work: WorkName, subject: SubjectName, figures: Figures): void {
    this.#rounds.add(round);
    for (const [figure, value] of Object.entries(figures)) {
      if (value === undefined) continue;
      const key = keyOf(work, subject, figure);
      const values = this.#values.get(key) ?? new Map<number, number>();
      this.#values.set(key, values.set(round, value));
    }
  }

  /** The rounds that have measured anything. */
  get rounds(): readonly number[] {
    return [...this.#rounds];
  }

  /** @returns undefined for what that round has not measured. */
  inRound(round: number, { work, subject, figure }: FigureOf): number | undefined {
    return this.#values.get(keyOf(work, subject, figure))?.get(round);
  }

  /** @returns undefined for what has not been measured. */
  summary({ work, subject, figure }: FigureOf): Summary | undefined {
    return summarise([...(this.#values.get(keyOf(work, subject, figure))?.values() ?? [])]);
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join(' ');
}
