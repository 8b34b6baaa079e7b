/**
 * What cannot be equal on two servers, and is made equal before answers are compared. Everything
 * that is not named here counts.
 */
const MADE_UP: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z/g, 'TIME$1'],
  // Microseconds are told from seconds by their form; which they are is made up.
  [/TIME\.\d{6}/g, 'MICROTIME'],
  [/"resourceVersion":"\d+"/g, '"resourceVersion":"RV"'],
  [/(does not match the ResourceVersion in record )\(\d+\)/g, '$1(RV)'],
  [/(Too large resource version: \d+, current: )\d+/g, '$1RV'],
  [/(too old resource version: )\d+ \(\d+\)/g, '$1RV (RV)'],
  [/"continue":"[\w-]{20,}"/g, '"continue":"TOKEN"'],
  [/gen-[a-z0-9]{5}/g, 'gen-XXXXX'],
  // The Age column, alone among the cells.
  [/"(?:\d+[smhdy])+"\],"object"/g, '"AGE"],"object"'],
  [/127\.0\.0\.1:\d+/g, 'ADDRESS'],
];

/** An answer in which everything that two servers make up differently is the same. */
export function comparable(text: string): unknown {
  return sorted(parsed(madeEqual(text)));
}

/** The events of a watch, each comparable. */
export function comparableEvents(stream: string): readonly unknown[] {
  return madeEqual(stream)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => sorted(parsed(line)));
}

function madeEqual(text: string): string {
  return MADE_UP.reduce((result, [pattern, name]) => result.replace(pattern, name), text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Managers in one order: the servers order them by time, which is to the second. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      field === 'managedFields' && Array.isArray(inner)
        ? inner.map(sorted).toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)))
        : sorted(inner),
    ]),
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
