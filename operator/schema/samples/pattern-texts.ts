import { CharacterSet } from '../pattern/character-set.ts';
import type { Pattern } from '../pattern/pattern.ts';
import type { CharacterNode, PatternNode } from '../pattern/tree.ts';
import type { Work } from '../work.ts';

/**
 * Texts that a pattern may match. Short texts come first. The caller must check whether the pattern matches.
 *
 * @param minLength - minimum length of the wanted text. Larger numbers of repetitions are tried until a text
 *   can be as long as this.
 * @param variants - number of characters that are tried for a class, and of alternatives that are
 *   tried for a group.
 * @throws TooMuchWork
 */
export function* patternTexts(
  pattern: Pattern,
  { minLength, variants, work }: { minLength: number; variants: number; work: Work },
): Generator<string> {
  const { tree } = pattern;
  const known = new Map<CharacterNode, readonly string[]>();
  for (let choice = 0; choice < variants; choice += 1) {
    // In nested repetitions the numbers are multiplied, so the square root is tried as well.
    for (const repeats of [0, 1, 2, Math.ceil(Math.sqrt(minLength)), minLength]) {
      yield textOf(tree, { repeats, choice, known, work });
    }
  }
}

/** Maximum number of repetitions, as in RE2. */
const MAX_REPEATS = 1_000;
const MAX_LENGTH = 4096;

/** The choices that determine which of the possible texts is made from a pattern. */
interface Wanted {
  /** How many times a part is repeated in addition to its minimum number of repetitions. */
  readonly repeats: number;
  readonly choice: number;
  /** The characters of each class. */
  readonly known: Map<CharacterNode, readonly string[]>;
  readonly work: Work;
}

function textOf(node: PatternNode, wanted: Wanted): string {
  wanted.work.spend(1);
  switch (node.kind) {
    case 'assertion':
      return '';
    case 'character': {
      const found = charactersOf(node, wanted);
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

/** Characters that may occur in an example, in the order of preference. */
const CHARACTERS: readonly string[] = [
  ...'abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./:@+ =,;#%&*!?~()[]{}<>|^$"\'\\`\t\n',
];

/**
 * The characters that can be used for a node of the pattern. For a single character, this is only the
 * character as the pattern contains it, even if the pattern ignores upper and lower case.
 */
function charactersOf(node: CharacterNode, { known, work }: Wanted): readonly string[] {
  if (node.literal !== undefined) return [node.literal];
  const before = known.get(node);
  if (before !== undefined) return before;
  const set = new CharacterSet(node);
  const tried = [...CHARACTERS, ...node.ranges.flatMap(({ source }) => coded(source))];
  work.spend(tried.length);
  const found = tried.filter((each) => set.has(each));
  known.set(node, found);
  return found;
}

/** The characters that a class contains as codes, such as `\u{61}`. */
function coded(source: string): readonly string[] {
  const codes = source.slice(0, MAX_LENGTH).matchAll(/\\u\{([0-9a-f]+)\}/g);
  return [...codes].map(([, code = '0']) => String.fromCodePoint(Number.parseInt(code, 16)));
}
