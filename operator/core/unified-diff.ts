/** Lines around a change that are shown with it, as `diff -u` does. */
const CONTEXT_LINES = 3;

/** Differing lines that are searched for a shortest diff; beyond it the whole middle is replaced. */
const MAX_DIFFERENCES = 1_000;

/** A line of two texts: in both, only in the first, only in the second. */
interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * The hunks of a unified diff, line by line and without file names; none when the texts are equal. It
 * is a shortest one where the texts differ in at most 1,000 lines.
 */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const lines = compare(linesOf(before), linesOf(after));
  return hunksOf(lines).flatMap(({ from, to }) => [
    heading(lines, from, to),
    ...lines.slice(from, to).map(({ mark, text }) => `${mark}${text}`),
  ]);
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

function compare(a: readonly string[], b: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  ) {
    end++;
  }
  return [
    ...marked(' ', a.slice(0, start)),
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...marked(' ', a.slice(a.length - end)),
  ];
}

function marked(mark: Line['mark'], texts: readonly string[]): readonly Line[] {
  return texts.map((text) => ({ mark, text }));
}

/**
 * The greedy algorithm of Myers: how far each diagonal (lines taken from `a`, less those from `b`)
 * reaches with so many differences; then the way back.
 */
function compareMiddle(a: readonly string[], b: readonly string[]): readonly Line[] {
  const reached = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  const limit = Math.min(a.length + b.length, MAX_DIFFERENCES);
  for (let differences = 0; differences <= limit; differences++) {
    history.push(new Map(reached));
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = start(reached, diagonal, differences);
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return wayBack(a, b, history);
    }
  }
  return [...marked('-', a), ...marked('+', b)];
}

/** Where a path with one more difference begins on `diagonal`. */
function start(
  reached: ReadonlyMap<number, number>,
  diagonal: number,
  differences: number,
): number {
  return comesFromAbove(reached, diagonal, differences)
    ? (reached.get(diagonal + 1) ?? 0)
    : (reached.get(diagonal - 1) ?? 0) + 1;
}

/** By an added line, and not by a removed one. */
function comesFromAbove(
  reached: ReadonlyMap<number, number>,
  diagonal: number,
  differences: number,
): boolean {
  if (diagonal === -differences) return true;
  if (diagonal === differences) return false;
  return (reached.get(diagonal - 1) ?? 0) < (reached.get(diagonal + 1) ?? 0);
}

function wayBack(
  a: readonly string[],
  b: readonly string[],
  history: readonly ReadonlyMap<number, number>[],
): readonly Line[] {
  const lines: Line[] = [];
  let [x, y] = [a.length, b.length];
  for (let differences = history.length - 1; x > 0 || y > 0; differences--) {
    const reached = history[differences] ?? new Map<number, number>();
    const diagonal = x - y;
    const above = comesFromAbove(reached, diagonal, differences);
    const previous = above ? diagonal + 1 : diagonal - 1;
    const fromX = differences === 0 ? 0 : (reached.get(previous) ?? 0);
    const fromY = differences === 0 ? 0 : fromX - previous;
    while (x > fromX && y > fromY) {
      lines.push({ mark: ' ', text: a[x - 1] ?? '' });
      x--;
      y--;
    }
    if (differences === 0) break;
    if (above) lines.push({ mark: '+', text: b[y - 1] ?? '' });
    else lines.push({ mark: '-', text: a[x - 1] ?? '' });
    [x, y] = [fromX, fromY];
  }
  return lines.reverse();
}

/** Changes that are near to each other share a hunk. */
function hunksOf(
  lines: readonly Line[],
): readonly { readonly from: number; readonly to: number }[] {
  const hunks: { from: number; to: number }[] = [];
  lines.forEach(({ mark }, at) => {
    if (mark === ' ') return;
    const from = Math.max(at - CONTEXT_LINES, 0);
    const to = Math.min(at + CONTEXT_LINES + 1, lines.length);
    const last = hunks.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  });
  return hunks;
}

/** `@@ -3,7 +3,8 @@` */
function heading(lines: readonly Line[], from: number, to: number): string {
  const range = (other: '-' | '+'): string => {
    const counted = lines.slice(from, to).filter(({ mark }) => mark !== other).length;
    const skipped = lines.slice(0, from).filter(({ mark }) => mark !== other).length;
    return `${counted === 0 ? skipped : skipped + 1},${counted}`;
  };
  return `@@ -${range('+')} +${range('-')} @@`;
}
