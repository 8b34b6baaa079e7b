import { FIGURE_NAMES, type FigureName, type Figures } from './figures.ts';
import { type Summary, summarise } from './statistics.ts';
import type { Build, SubjectName } from './subjects.ts';
import type { WorkName } from './works.ts';

/** A figure of one subject at one work. */
export interface FigureOf {
  readonly work: WorkName;
  readonly subject: SubjectName;
  readonly figure: FigureName;
  /** Default: new. */
  readonly build?: Build;
}

/** The figures of all rounds. */
export class Results {
  /** By subject, build and figure, then by round. */
  readonly #values = new Map<string, Map<number, number>>();
  readonly #rounds = new Set<number>();

  add(
    round: number,
    work: WorkName,
    subject: SubjectName,
    figures: Figures,
    build: Build = 'new',
  ): void {
    this.#rounds.add(round);
    for (const figure of FIGURE_NAMES) {
      const value = figures[figure];
      if (value === undefined) continue;
      const key = keyOf({ work, subject, figure, build });
      const values = this.#values.get(key) ?? new Map<number, number>();
      this.#values.set(key, values.set(round, value));
    }
  }

  /** The rounds that have a figure. */
  get rounds(): readonly number[] {
    return [...this.#rounds];
  }

  /** @returns undefined when the round did not measure it. */
  inRound(round: number, of: FigureOf): number | undefined {
    return this.#values.get(keyOf(of))?.get(round);
  }

  /** @returns undefined when no round measured it. */
  summary(of: FigureOf): Summary | undefined {
    return summarise([...(this.#values.get(keyOf(of))?.values() ?? [])]);
  }
}

function keyOf({ work, subject, figure, build = 'new' }: FigureOf): string {
  return [work, subject, build, figure].join(' ');
}
