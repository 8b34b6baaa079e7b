/** Values of Secrets are left out of messages, because a test's output may be public. */
const SECRET = /^Secret /;
const MAX_VALUE = 60;

type Stored = ReadonlyMap<string, readonly string[]>;

/** The differences between the stored objects at the end of two runs, one line per object. */
export function differences(expected: Stored, found: Stored): readonly string[] {
  const lines: string[] = [];
  for (const identity of new Set([...expected.keys(), ...found.keys()])) {
    const before = expected.get(identity) ?? [];
    const after = found.get(identity) ?? [];
    if (before.join('\n') === after.join('\n')) continue;
    lines.push(lineOf(identity, before, after));
  }
  return lines.sort();
}

function lineOf(identity: string, before: readonly string[], after: readonly string[]): string {
  if (after.length === 0) return `${identity} is missing`;
  if (before.length === 0 && after.length === 1) return `${identity} should not be there`;
  if (before.length !== after.length) {
    return `there are ${after.length} of ${identity}, and usually ${before.length}`;
  }
  const at = before.findIndex((form, index) => form !== after[index]);
  const path = firstDifference(JSON.parse(before[at] ?? ''), JSON.parse(after[at] ?? ''), '');
  if (path === undefined) return `${identity} differs`;
  if (SECRET.test(identity)) return `${identity} differs in ${path.field}`;
  return `${identity} has ${path.field} ${shown(path.found)}, and usually ${shown(path.expected)}`;
}

interface Difference {
  readonly field: string;
  readonly expected: unknown;
  readonly found: unknown;
}

function firstDifference(expected: unknown, found: unknown, field: string): Difference | undefined {
  if (JSON.stringify(expected) === JSON.stringify(found)) return undefined;
  if (!isComposed(expected) || !isComposed(found)) return { field, expected, found };
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const inner = field === '' ? key : `${field}.${key}`;
    const difference = firstDifference(expected[key], found[key], inner);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isComposed(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  const text = value === undefined ? '(nothing)' : JSON.stringify(value);
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`;
}
