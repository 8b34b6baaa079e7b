import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';

/** Lines around a change that are shown with it, as `diff -u` does. */
const CONTEXT_LINES = 3;

/** Differing lines for which a shortest diff is searched: the search takes time by their square. */
const MAX_DIFFERENCES = 1_000;

/**
 * The hunks of a unified diff, line by line and without file names; none when the texts are equal. It
 * is a shortest one where the texts differ in at most 1,000 lines. Beyond it, one hunk replaces all
 * lines. The only module that imports diff.
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

/** With a line feed at its end, so that the diff says nothing of one that is missing. */
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
