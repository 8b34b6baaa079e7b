import { CharacterSet } from '../pattern/character-set.ts';
import type { Pattern } from '../pattern/pattern.ts';
import type { PatternNode } from '../pattern/tree.ts';
import type { Work } from '../work.ts';

/**
 * Texts that a pattern may match, short ones first. The caller checks each of them.
 *
 * @param minLength - repetitions are made longer, until the text may be as long.
 * @param variants - how many characters are tried for a class, and alternatives of a group.
 * @throws PatternCostError when the pattern is too large.
 * @throws TooMuchWork
 */
export function* patternTexts(
  pattern: Pattern,
  { minLength, variants, work }: { minLength: number; variants: number; work: Work },
): Generator<string> {
  const tree = pattern.tree();
  const { ignoresCase } = pattern;
  const known = new Map<string, readonly string[]>();
  for (let choice = 0; choice < variants; choice += 1) {
    // A repetition in another one is made as often as the product of both.
    for (const repeats of [0, 1, 2, Math.ceil(Math.sqrt(minLength)), minLength]) {
      yield textOf(tree, { repeats, choice, ignoresCase, known, work });
    }
  }
}

/** As many as RE2 repeats at most. */
const MAX_REPEATS = 1_000;
const MAX_LENGTH = 4096;

/** The choices with which one text is made from a pattern. */
interface Wanted {
  /** How often more than necessary a part is repeated. */
  readonly repeats: number;
  readonly choice: number;
  readonly ignoresCase: boolean;
  /** The characters of each class. */
  readonly known: Map<string, readonly string[]>;
  readonly work: Work;
}

function textOf(node: PatternNode, wanted: Wanted): string {
  wanted.work.spend(1);
  switch (node.kind) {
    case 'assertion':
      return '';
    case 'character': {
      const found = charactersOf(node.source, wanted);
      return found[wanted.choice % found.length] ?? '';
    }
    case 'choice':
      return textOf(node.options[wanted.choice % node.options.length] ?? EMPTY, wanted);
    case 'sequence': {
      let text = '';
      for (const part of node.parts) {
        if (text.length < MAX_LENGTH) text += textOf(part, wanted);
      }
      return text.slice(0, MAX_LENGTH);
    }
    case 'repeat': {
      const count = Math.min(node.least + wanted.repeats, node.most, MAX_REPEATS);
      const text = count <= 0 ? '' : textOf(node.part, wanted);
      const enough = Math.ceil(MAX_LENGTH / Math.max(text.length, 1));
      return text.repeat(Math.max(0, Math.min(count, enough))).slice(0, MAX_LENGTH);
    }
  }
}

const EMPTY: PatternNode = { kind: 'sequence', parts: [] };

/** In the order in which they make the better example. */
const CHARACTERS: readonly string[] = [
  ...'abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./:@+ =,;#%&*!?~()[]{}<>|^$"\'\\`\t\n',
];

function charactersOf(source: string, { ignoresCase, known, work }: Wanted): readonly string[] {
  const before = known.get(source);
  if (before !== undefined) return before;
  const set = new CharacterSet({ kind: 'character', source }, ignoresCase);
  const tried = isPlain(source)
    ? [source]
    : [...CHARACTERS, ...source.slice(0, MAX_LENGTH), ...coded(source)];
  work.spend(tried.length);
  const found = tried.filter((each) => set.has(each));
  known.set(source, found);
  return found;
}

/** A literal keeps its case, also where the pattern does not tell upper and lower case apart. */
function isPlain(source: string): boolean {
  return !/^[[\\]/.test(source);
}

/** The characters of codes such as `\x41`. */
function coded(source: string): readonly string[] {
  const codes = source.slice(0, MAX_LENGTH).matchAll(/\\x(..)|\\u\{([0-9a-fA-F]{1,6})\}/g);
  return [...codes].flatMap(([, short, long = '0']) => {
    const code = Number.parseInt(short ?? long, 16);
    return code <= 0x10_ff_ff ? [String.fromCodePoint(code)] : [];
  });
}
