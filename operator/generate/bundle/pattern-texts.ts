/**
 * Texts that a regular expression may match, short ones first. It reads literals, classes, groups, alternatives and
 * repetitions; what else there is, is passed over, so that the caller tries each text.
 *
 * @param minLength - repetitions are made longer, until the text may be as long.
 */
export function* patternTexts(pattern: string, minLength: number): Generator<string> {
  for (const repeats of [0, 1, 2, minLength]) {
    for (const choice of [0, 1, 2]) {
      const reader = { pattern, at: 0, repeats: Math.min(repeats, MAX_REPEATS), choice };
      yield alternativesText(reader).slice(0, MAX_LENGTH);
    }
  }
}

const MAX_REPEATS = 256;
const MAX_LENGTH = 4096;

/** How far a pattern is read, and what is taken where there is a choice. */
interface Reader {
  readonly pattern: string;
  at: number;
  readonly repeats: number;
  readonly choice: number;
}

function alternativesText(reader: Reader): string {
  const texts = [sequenceText(reader)];
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    texts.push(sequenceText(reader));
  }
  return texts[Math.min(reader.choice, texts.length - 1)] ?? '';
}

function sequenceText(reader: Reader): string {
  let text = '';
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    const atom = atomText(reader);
    text += atom.repeat(repetition(reader));
    if (text.length > MAX_LENGTH) return text.slice(0, MAX_LENGTH);
  }
  return text;
}

function atomText(reader: Reader): string {
  const { pattern } = reader;
  const character = pattern[reader.at] ?? '';
  reader.at += 1;
  if (character === '(') return groupText(reader);
  if (character === '[') return classText(reader);
  if (character === '.') return 'a';
  if (character === '^' || character === '$') return '';
  if (character !== '\\') return character;
  const escaped = pattern[reader.at] ?? '';
  reader.at += 1;
  return ESCAPED[escaped] ?? escaped;
}

/** One character for each class with a letter. Those of an anchor are empty. */
const ESCAPED: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  n: '\n',
  t: '\t',
  b: '',
  A: '',
  z: '',
};

function groupText(reader: Reader): string {
  const rest = reader.pattern.slice(reader.at);
  const head = /^\?(?:P?<[a-zA-Z]\w*>|[:=!]|<[=!])/.exec(rest)?.[0] ?? '';
  reader.at += head.length;
  const text = alternativesText(reader);
  reader.at += 1; // the closing parenthesis
  return /^\?(?:=|!|<[=!])$/.test(head) ? '' : text;
}

function classText(reader: Reader): string {
  const { pattern } = reader;
  const isNegated = pattern[reader.at] === '^';
  const end = classEnd(pattern, reader.at + (isNegated ? 1 : 0));
  const body = pattern.slice(reader.at, end);
  reader.at = end + 1;
  let expression: RegExp;
  try {
    expression = new RegExp(`[${body}]`);
  } catch {
    return '';
  }
  return CHARACTERS.find((each) => expression.test(each)) ?? '';
}

/** In the order in which they make the better example. */
const CHARACTERS: readonly string[] = [
  ...'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./:@+ =,;#%&*!?~()[]{}<>|^$"\'\\`',
];

/** A `]` that comes first or after a backslash does not end the class. */
function classEnd(pattern: string, from: number): number {
  let at = pattern[from] === ']' ? from + 1 : from;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at;
}

/** Reads what may come after an atom, and says how often the atom is taken. */
function repetition(reader: Reader): number {
  const rest = reader.pattern.slice(reader.at);
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(rest);
  if (found === null) return 1;
  const [whole, least, comma, most = ''] = found;
  reader.at += whole.length;
  const { repeats } = reader;
  if (whole.startsWith('*')) return repeats;
  if (whole.startsWith('+')) return repeats + 1;
  if (whole.startsWith('?')) return Math.min(repeats, 1);
  const from = Math.min(Number(least), MAX_REPEATS);
  if (comma === '') return from;
  return Math.min(from + repeats, most === '' ? MAX_REPEATS : Number(most), MAX_REPEATS);
}
