import { type Summary, summarise } from '../statistics.ts';
import type { Case } from './cases.ts';
import type { FigureName, Figures } from './figures.ts';

/** What all rounds have measured. */
export class Results {
  readonly #runs = new Map<string, Figures[]>();

  add(one: Pick<Case, 'scenario' | 'title'>, figures: Figures): void {
    const runs = this.#runs.get(keyOf(one));
    if (runs === undefined) this.#runs.set(keyOf(one), [figures]);
    else runs.push(figures);
  }

  /** @returns undefined for what has not been measured. */
  summary(one: Pick<Case, 'scenario' | 'title'>, figure: FigureName): Summary | undefined {
    const runs = this.#runs.get(keyOf(one)) ?? [];
    return summarise(runs.map((figures) => figures[figure] ?? Number.NaN).filter(Number.isFinite));
  }
}

function keyOf({ scenario, title }: Pick<Case, 'scenario' | 'title'>): string {
  return `${scenario} ${title}`;
}
