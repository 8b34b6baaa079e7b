/** Stands for a value that the server quotes, and for the words after it that repeat a part of it. */
export const NOT_SHOWN = '(not shown)';

/** A quoted text as Go's `%q` and JSON write it. */
const QUOTED = /"(?:[^"\\\n]|\\.)*"/y;

const SCALAR = /(?:-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|<nil>)/y;

/** A value at the beginning of a text, and the scalars in it. */
interface ScannedValue {
  readonly end: number;
  /** Texts and numbers, without the names of fields. */
  readonly scalars: readonly string[];
}

/**
 * The value at `start`, as the API server prints it: `%q` of a text, a number, a boolean, `null`, or
 * JSON. Undefined when it is printed in another way, so that its end cannot be told.
 */
export function scanValue(text: string, start: number): ScannedValue | undefined {
  const first = text[start];
  const end =
    first === '{' || first === '['
      ? endOfNested(text, start)
      : first === '"'
        ? endOf(QUOTED, text, start)
        : endOf(SCALAR, text, start);
  if (end === undefined || !/^(?:$|: |, |\]|\))/.test(text.slice(end, end + 2))) return undefined;
  return { end, scalars: scalarsOf(text.slice(start, end)) };
}

/** Everything that `text` says before it repeats a part of a value; then `(not shown)`. */
export function beforeRepetition(text: string, scalars: readonly string[]): string {
  const parts = new Set(scalars.flatMap(wordsOf));
  let end = text.length;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!parts.has(word.toLowerCase())) continue;
    end = index;
    break;
  }
  for (const scalar of scalars) {
    const at = scalar.length < MIN_PART ? -1 : text.indexOf(scalar);
    if (at >= 0 && at < end) end = at;
  }
  return end === text.length
    ? text
    : `${text.slice(0, end).replace(/["'`([\s]+$/, '')} ${NOT_SHOWN}`;
}

/** Quoted texts as `(not shown)`, but for those that `isName` takes by what is before them. */
export function maskQuoted(text: string, isName: (before: string) => boolean): string {
  return text.replace(/"(?:[^"\\]|\\.)*(?:"|$)/gs, (quoted, at: number) =>
    isName(text.slice(Math.max(0, at - 40), at)) ? quoted : NOT_SHOWN,
  );
}

/** Single characters and digits are too common in the words of a rule. */
const MIN_PART = 2;

const WORD = /[\p{L}\p{N}]+/gu;

function wordsOf(scalar: string): readonly string[] {
  const words = scalar.match(WORD) ?? [];
  return words.filter(({ length }) => length >= MIN_PART).map((word) => word.toLowerCase());
}

function endOf(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOfNested(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = endOf(QUOTED, text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (char === '{' || char === '[') {
      depth++;
    } else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function scalarsOf(printed: string): readonly string[] {
  const value = parsed(printed);
  if (value === undefined) return [printed.replace(GO_ESCAPE, ' ')];
  return leavesOf(value).filter((leaf) => !TYPES.has(leaf));
}

/** What API servers print in place of an object, or of a value of a wrong type. */
const TYPES: ReadonlySet<string> = new Set('array boolean integer number object string'.split(' '));

const GO_ESCAPE = /\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|.)/gs;

/** `%q` knows escapes that JSON does not: such a text stays as it is printed. */
function parsed(printed: string): unknown {
  try {
    return JSON.parse(printed);
  } catch {
    return undefined;
  }
}

function leavesOf(root: unknown): readonly string[] {
  const leaves: string[] = [];
  const left: unknown[] = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'object' && value !== null) {
      for (const each of Object.values(value)) left.push(each);
    } else if (typeof value === 'string' || typeof value === 'number') leaves.push(String(value));
  }
  return leaves;
}
