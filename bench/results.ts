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
  readonly #values = new Map<string, number[]>();

  add(work: WorkName, subject: SubjectName, figures: Figures): void {
    for (const [figure, value] of Object.entries(figures)) {
      if (value === undefined) continue;
      const key = keyOf(work, subject, figure);
      const values = this.#values.get(key);
      if (values === undefined) this.#values.set(key, [value]);
      else values.push(value);
    }
  }

  /** @returns undefined for what has not been measured. */
  summary({ work, subject, figure }: FigureOf): Summary | undefined {
    return summarise(this.#values.get(keyOf(work, subject, figure)) ?? []);
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join(' ');
}
