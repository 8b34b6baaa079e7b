/** The scripts of the page that need no page. The compiler reads them with the types of a browser, and not here. */
import { fileURLToPath } from 'node:url';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly line: number;
}

type Walls = readonly (readonly [at: number, wall: number])[];

async function moduleOf(name: string): Promise<unknown> {
  const folder = new URL('../../../operator/flight/timeline/page/', import.meta.url);
  return import(fileURLToPath(new URL(name, folder)));
}

export const { lineDiff } = (await moduleOf('diff.js')) as {
  lineDiff(before: readonly number[], after: readonly number[]): readonly DiffLine[];
};

export const { Texts } = (await moduleOf('texts.js')) as {
  readonly Texts: new (data: {
    readonly lines: readonly string[];
    readonly texts: readonly (readonly number[])[];
  }) => { line(line: number): string; numbers(text: number | undefined): readonly number[] };
};

export const { KIND_NAMES } = (await moduleOf('model.js')) as {
  readonly KIND_NAMES: Readonly<Record<string, string>>;
};

export const { wallAt, clockWords, tickStep, tickMoments, spanWords } = (await moduleOf(
  'time.js',
)) as {
  wallAt(walls: Walls, at: number): number;
  clockWords(wall: number, stepMs?: number): string;
  spanWords(ms: number): string;
  tickStep(spanMs: number, widthPixels: number, leastPixels: number): number;
  tickMoments(walls: Walls, from: number, to: number, stepMs: number): readonly number[];
};
