import { internalJson } from './internal-json.ts';

/** The number of unchanged lines before and after a difference in the diff. */
const CONTEXT = 3;

/**
 * The difference between two specs, as a unified diff of their JSON. The diff is for people to read: its
 * exact lines are not part of the API.
 */
export function specDifference(type: string, before: unknown, after: unknown): string {
  const [a, b] = [before, after].map((value) => linesOf(internalJson(type, value)));
  return unifiedDiff(a ?? [], b ?? []);
}

function linesOf(json: string): readonly string[] {
  return JSON.stringify(JSON.parse(json), undefined, 1).split('\n');
}

/** The diff as one hunk, from the first line that differs to the last line that differs. */
function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const from = Math.max(0, start - CONTEXT);
  const [toA, toB] = [Math.min(a.length, endA + CONTEXT), Math.min(b.length, endB + CONTEXT)];
  const lines = [
    `@@ -${from + 1},${toA - from} +${from + 1},${toB - from} @@`,
    ...a.slice(from, start).map((line) => ` ${line}`),
    ...a.slice(start, endA).map((line) => `-${line}`),
    ...b.slice(start, endB).map((line) => `+${line}`),
    ...a.slice(endA, toA).map((line) => ` ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
