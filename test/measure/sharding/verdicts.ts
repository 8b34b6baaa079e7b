/** The targets of `main.ts`, and the report. */

/** What all measurements are told. */
export interface Settings {
  readonly rounds: number;
  /** Keys whose reconcile takes `cpuMs` of CPU. */
  readonly keys: number;
  readonly cpuMs: number;
  /** Keys whose reconcile does no more than write a child. */
  readonly lightKeys: number;
  readonly idleSeconds: number;
  /** ConfigMaps of `bytes` each, with a Secret each, which are only read. */
  readonly objects: number;
  readonly bytes: number;
  /** The first start of a replica takes as long. */
  readonly leaseSeconds: number;
  /** Whether the toolkit is what `npm run build` has made. */
  readonly isBuilt: boolean;
  readonly progress: (line: string) => void;
}

export interface Findings {
  readonly targets: readonly Target[];
  readonly figures: readonly Figure[];
}

/** A bound for ratios of two variants, each pair from one round. */
export interface Target {
  readonly title: string;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  readonly ratios: readonly number[];
  /** What must hold, too. */
  readonly fact?: { readonly says: string; readonly holds: boolean };
}

/** A figure that has no target: its values in the rounds. */
export interface Figure {
  readonly title: string;
  readonly values: readonly number[];
  readonly digits?: number;
}

/** By the median, and no ratio that is no number. Without any round a target is missed. */
export function isMet({ bound, fact, ratios }: Target): boolean {
  const middle = median(ratios);
  const isInBound = 'atLeast' in bound ? middle >= bound.atLeast : middle <= bound.atMost;
  return isInBound && (fact?.holds ?? true) && ratios.every(Number.isFinite);
}

/** The mean of both in the middle for an even number; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted.length % 2 === 1 ? upper : (sorted[(sorted.length >> 1) - 1] ?? upper);
  return (lower + upper) / 2;
}

/** Tables in Markdown: the targets, and all figures. */
export function report({ targets, figures }: Findings): string {
  const verdicts = targets.map((each) => {
    const { title, bound, fact, ratios } = each;
    const [sign, value] = 'atLeast' in bound ? ['≥', bound.atLeast] : ['≤', bound.atMost];
    const verdict = isMet(each) ? 'met' : '**missed**';
    const because = fact?.holds === false ? `, ${fact.says}: no` : '';
    return [title, `${sign} ${value} ×`, ...spread(ratios, 2), `${verdict}${because}`];
  });
  const rows = figures.map(({ title, values, digits = 1 }) => [title, ...spread(values, digits)]);
  const head = ['median', 'least – most', 'rounds'];
  return [
    table(['target', 'bound', ...head, 'verdict'], verdicts),
    table(['figure', ...head], rows),
  ].join('\n');
}

function spread(values: readonly number[], digits: number): readonly string[] {
  const text = (value: number): string => value.toFixed(digits);
  if (values.length === 0) return ['–', '–', '0'];
  const range = `${text(Math.min(...values))} – ${text(Math.max(...values))}`;
  return [text(median(values)), range, String(values.length)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
