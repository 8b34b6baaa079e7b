/** Whether a program printed what a page shows. */

/** What differs from run to run, as it stands in a page, and what may stand in its place. */
const CHANGING: readonly (readonly [shown: RegExp, any: string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`],
  [/\d\d:\d\d:\d\d\.\d{3}/, String.raw`\d\d:\d\d:\d\d\.\d{3}`],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/, '[0-9a-f-]{36}'],
  [/127\.0\.0\.1:\d+/, String.raw`127\.0\.0\.1:\d+`],
  [/\bpid \d+/, String.raw`pid \d+`],
  // The name of a Pod: that of its Deployment, and two parts that the cluster makes up.
  [/-[a-z0-9]{8,10}-[a-z0-9]{5}\b/, '-[a-z0-9]{1,10}-[a-z0-9]{5}'],
  [
    /\b\d+(?:\.\d+)? ?(?:ms|s|m)\b/,
    String.raw`[\d.]+ ?(?:ms|s|m|m\d+s)(?: \(x\d+ over [\dms]+\))?`,
  ],
  [/…/, '.*'],
  [/\s+/, String.raw`\s+`],
];

/**
 * The first line of `shown` that `printed` does not have, after the lines before it; undefined when it has all. Lines between
 * them do not count, nor do times, ages, ports and names that a cluster makes up.
 */
export function missingLine(shown: string, printed: string): string | undefined {
  const lines = printed.split('\n').map((line) => line.trim());
  let at = 0;
  for (const wanted of shown.split('\n').map((line) => line.trim())) {
    if (wanted === '' || wanted === '…') continue;
    const expression = expressionOf(wanted);
    const found = lines.findIndex((line, index) => index >= at && expression.test(line));
    if (found === -1) return wanted;
    at = found + 1;
  }
  return undefined;
}

function expressionOf(line: string): RegExp {
  const all = new RegExp(CHANGING.map(([shown]) => `(${shown.source})`).join('|'), 'g');
  let text = '';
  let end = 0;
  for (const match of line.matchAll(all)) {
    const which = match.slice(1).findIndex((group) => group !== undefined);
    text += escaped(line.slice(end, match.index)) + (CHANGING[which]?.[1] ?? '');
    end = match.index + match[0].length;
  }
  return new RegExp(`^${text}${escaped(line.slice(end))}$`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
