/**
 * Texts for regular expressions. It reads the syntax that people write into definitions; the caller checks
 * each text by the expression.
 */

/** Longer texts are cut. */
const MAX_CHARS = 2_000;

/** Deeper groups are left out. */
const MAX_DEPTH = 50;

/** The characters that are tried in a negated class, and what the usual escapes stand for. */
const CHARACTERS = 'aA0-_./:x1 bB2@+=,;!?#';
const ESCAPES: Readonly<Record<string, string>> = {
  ...{
    d: '1',
    w: 'a',
    s: ' ',
    D: 'a',
    W: '-',
    S: 'a',
    n: '\n',
    t: '\t',
    r: '\r',
    f: '\f',
    v: '\v',
  },
  ...{ b: '', B: '', A: '', z: '' },
};

/** One place in the pattern, which all parts of the reader move on. */
interface Reader {
  readonly pattern: string;
  at: number;
  /** How often more than necessary a part is repeated, where it may be. */
  readonly more: number;
}

/** A text that should match. It is as short as the pattern allows, or longer by `more` of each repetition. */
export function textForPattern(pattern: string, more: number): string {
  const reader: Reader = { pattern: pattern.replace(/^\(\?i\)/, ''), at: 0, more };
  return alternatives(reader, 0).slice(0, MAX_CHARS);
}

/** The first of `a|b`. */
function alternatives(reader: Reader, depth: number): string {
  let first: string | undefined;
  for (;;) {
    const text = sequence(reader, depth);
    first ??= text;
    if (reader.pattern[reader.at] !== '|') return first;
    reader.at += 1;
  }
}

function sequence(reader: Reader, depth: number): string {
  const parts: string[] = [];
  while (reader.at < reader.pattern.length) {
    const next = reader.pattern[reader.at];
    if (next === '|' || (next === ')' && depth > 0)) break;
    const part = atom(reader, depth);
    parts.push(part.repeat(times(reader, part.length)));
  }
  return parts.join('').slice(0, MAX_CHARS);
}

function atom(reader: Reader, depth: number): string {
  const next = reader.pattern[reader.at] ?? '';
  if (next === '(') return group(reader, depth);
  if (next === '[') return characterClass(reader);
  if (next === '\\') return escaped(reader);
  reader.at += 1;
  if (next === '^' || next === '$') return '';
  return next === '.' ? 'a' : next;
}

function group(reader: Reader, depth: number): string {
  const [opening = '('] =
    /^\((?:\?(?:P?<\w+>|[a-z]*:))?/.exec(reader.pattern.slice(reader.at)) ?? [];
  reader.at += opening.length;
  const text = depth > MAX_DEPTH ? '' : alternatives(reader, depth + 1);
  if (reader.pattern[reader.at] === ')') reader.at += 1;
  return text;
}

function escaped(reader: Reader): string {
  const rest = reader.pattern.slice(reader.at);
  const [token = rest.slice(0, 2)] =
    /^\\(?:[pP](?:\{\^?\w+\}|\w)|x(?:\{\w+\}|\w\w))/.exec(rest) ?? [];
  reader.at += token.length;
  const what = token.slice(1);
  if (/^p(?:\{Lu|Lu)/.test(what)) return 'A';
  if (/^[pP](?:\W|\w)/.test(what)) return /^p\{?N/.test(what) ? '1' : 'a';
  if (/^x\W?\w/.test(what) && what.length > 1) {
    const code = Number.parseInt(what.replaceAll(/[x{}]/g, ''), 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
  }
  return ESCAPES[what] ?? what;
}

/** The first character of a class; of a negated one, the first that is not in it. */
function characterClass(reader: Reader): string {
  const [token = '['] =
    /^\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?/.exec(reader.pattern.slice(reader.at)) ?? [];
  reader.at += token.length;
  const inside = token.replace(/^\[\^?/, '').replace(/\]$/, '');
  if (token.startsWith('[^')) {
    return [...CHARACTERS].find((each) => !isInClass(each, inside)) ?? 'a';
  }
  const posix = /^\[:(\w+):\]/.exec(inside)?.[1];
  if (posix !== undefined) return { digit: '1', upper: 'A', space: ' ', punct: '-' }[posix] ?? 'a';
  if (inside.startsWith('\\')) return escaped({ ...reader, pattern: inside, at: 0 });
  return [...inside][0] ?? '';
}

function isInClass(character: string, inside: string): boolean {
  try {
    return new RegExp(`[${inside.replaceAll(/\[:\w+:\]/g, 'a-zA-Z0-9')}]`).test(character);
  } catch {
    return false;
  }
}

/** How often the part before is repeated: as seldom as the quantifier allows, and `more` times. */
function times(reader: Reader, length: number): number {
  const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.pattern.slice(reader.at));
  if (quantifier === null) return 1;
  const [token, low, comma, high] = quantifier;
  reader.at += token.length;
  const least = low === undefined ? (token.startsWith('+') ? 1 : 0) : Number(low);
  const most =
    low === undefined ? (token.startsWith('?') ? 1 : Infinity) : mostOf(low, comma, high);
  const wanted = Math.min(least + reader.more, most);
  return Math.min(wanted, Math.ceil(MAX_CHARS / Math.max(length, 1)));
}

function mostOf(low: string, comma: string | undefined, high: string | undefined): number {
  if (comma === '') return Number(low);
  return high === '' ? Infinity : Number(high);
}
