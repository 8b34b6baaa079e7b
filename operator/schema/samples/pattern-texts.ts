import { patternMatcher } from '../pattern.ts';

/**
 * Texts that a regular expression may match, short ones first. It reads literals, classes, groups, alternatives and
 * repetitions; the caller checks each text by the expression.
 *
 * @param minLength - repetitions are made longer, until the text may be as long.
 * @param variants - how many characters are tried for a class, and alternatives of a group.
 */
export function* patternTexts(
  pattern: string,
  minLength: number,
  variants: number,
): Generator<string> {
  const source = pattern.replace(/^\(\?i\)/, '');
  for (let choice = 0; choice < variants; choice += 1) {
    for (const repeats of [0, 1, 2, minLength]) {
      yield alternativesText({ pattern: source, at: 0, repeats, choice }, 0);
    }
  }
}

/** As many as RE2 repeats at most. */
const MAX_REPEATS = 1_000;
const MAX_LENGTH = 4096;

/** Deeper groups are left out. */
const MAX_DEPTH = 50;

/** How far a pattern is read, and what is taken where there is a choice. */
interface Reader {
  readonly pattern: string;
  at: number;
  /** How often more than necessary a part is repeated. */
  readonly repeats: number;
  readonly choice: number;
}

function alternativesText(reader: Reader, depth: number): string {
  const texts = [sequenceText(reader, depth)];
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    texts.push(sequenceText(reader, depth));
  }
  return texts[reader.choice % texts.length] ?? '';
}

function sequenceText(reader: Reader, depth: number): string {
  let text = '';
  while (reader.at < reader.pattern.length) {
    const next = reader.pattern[reader.at];
    if (next === '|' || (next === ')' && depth > 0)) break;
    const atom = atomText(reader, depth);
    text = (text + atom.repeat(repetition(reader))).slice(0, MAX_LENGTH);
  }
  return text;
}

/** A class, an escape, the start of a group, or one character. */
const ATOM =
  /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]?|\\(?:[pP](?:\{\^?\w+\}|\w)|x(?:\{\w+\}|\w\w)|[\s\S])|\((?:\?(?:P?<\w+>|:))?|[\s\S]/uy;

function atomText(reader: Reader, depth: number): string {
  ATOM.lastIndex = reader.at;
  const atom = ATOM.exec(reader.pattern)?.[0] ?? '';
  reader.at += Math.max(atom.length, 1);
  if (atom === '^' || atom === '$') return '';
  if (atom.startsWith('(')) return groupText(reader, depth);
  return /^[[\\.]/.test(atom) ? characterOf(atom, reader.choice) : atom;
}

function groupText(reader: Reader, depth: number): string {
  const text = depth > MAX_DEPTH ? '' : alternativesText(reader, depth + 1);
  if (reader.pattern[reader.at] === ')') reader.at += 1;
  return text;
}

/** In the order in which they make the better example. */
const CHARACTERS: readonly string[] = [
  ...'abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./:@+ =,;#%&*!?~()[]{}<>|^$"\'\\`\t\n',
];

/** A character of a class or an escape; none for an anchor such as `\b`, and for a class that is none. */
function characterOf(atom: string, choice: number): string {
  if (/^\\[AbBz]$/.test(atom)) return '';
  try {
    const matcher = patternMatcher(atom);
    const found = [...CHARACTERS, ...atom].filter((each) => matcher.test(each));
    return found[choice % found.length] ?? '';
  } catch {
    return '';
  }
}

/** Reads what may come after an atom, and says how often the atom is taken. */
function repetition(reader: Reader): number {
  const rest = reader.pattern.slice(reader.at);
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(rest);
  if (found === null) return 1;
  const [whole, least, comma, most = ''] = found;
  reader.at += whole.length;
  const repeats = Math.min(reader.repeats, MAX_REPEATS);
  if (whole.startsWith('*')) return repeats;
  if (whole.startsWith('+')) return repeats + 1;
  if (whole.startsWith('?')) return Math.min(repeats, 1);
  const from = Math.min(Number(least), MAX_REPEATS);
  if (comma === '') return from;
  return Math.min(from + repeats, most === '' ? MAX_REPEATS : Number(most), MAX_REPEATS);
}
