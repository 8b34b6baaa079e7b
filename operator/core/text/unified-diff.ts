import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';

/** Number of unchanged lines before and after each change, as in `diff -u`. */
const CONTEXT_LINES = 3;

/**
 * If at most this many lines differ, the shortest diff is computed. The time for this grows with the square
 * of the number of differing lines.
 */
const MAX_DIFFERENCES = 1_000;

/**
 * The hunks of a unified diff, as lines without file names; empty when the texts are equal. If the texts
 * differ in at most 1,000 lines, the diff is as short as possible. If they differ in more lines, a single
 * hunk replaces all lines. This is the only module that imports the package `diff`.
 */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const [a, b] = [ended(before), ended(after)];
  if (a === b) return [];
  const patch = createTwoFilesPatch('', '', a, b, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_DIFFERENCES,
    headerOptions: OMIT_HEADERS,
  });
  return patch === undefined ? replaced(linesOf(a), linesOf(b)) : linesOf(patch);
}

/** Adds a line feed at the end, so that the diff does not report a missing line feed. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.slice(0, -1).split('\n');
}

function replaced(before: readonly string[], after: readonly string[]): readonly string[] {
  const range = ({ length }: readonly string[]): string => `${length === 0 ? 0 : 1},${length}`;
  return [
    `@@ -${range(before)} +${range(after)} @@`,
    ...before.map((line) => `-${line}`),
    ...after.map((line) => `+${line}`),
  ];
}
