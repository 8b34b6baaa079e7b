/** A pattern, or the part of one, as it is written. */
export type PatternNode =
  | CharacterNode
  | { readonly kind: 'assertion'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      /** Infinity for no limit. */
      readonly most: number;
    };

/** One character of a set, such as `[a-z]`. */
export interface CharacterNode {
  readonly kind: 'character';
  /** In JavaScript's syntax. */
  readonly source: string;
}

/** The work for a pattern would have no reasonable bound, so it is not compared. */
export class PatternCostError extends Error {
  override readonly name: string = 'PatternCostError';
}

/** Go refuses a pattern from 1,000 on. This bounds the recursion. */
const MAX_DEPTH = 200;

/** A class, an escape, the start of a group, a repetition, or one character. */
const TOKEN =
  /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|x..|[\s\S])|\((?:\?(?:<\w+>|:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[\s\S]/uy;

interface Reader {
  readonly source: string;
  at: number;
}

/**
 * The tree of an expression in JavaScript's syntax, without lookarounds and back references.
 *
 * @param source - accepted by `new RegExp(source, 'u')`.
 * @throws PatternCostError when groups are nested deeper than 200.
 */
export function patternTree(source: string): PatternNode {
  return choiceIn({ source, at: 0 }, 0);
}

function choiceIn(reader: Reader, depth: number): PatternNode {
  if (depth > MAX_DEPTH) {
    throw new PatternCostError(`its groups are nested deeper than ${MAX_DEPTH}`);
  }
  const options = [sequenceIn(reader, depth)];
  while (reader.source[reader.at] === '|') {
    reader.at += 1;
    options.push(sequenceIn(reader, depth));
  }
  const [only] = options;
  return only !== undefined && options.length === 1 ? only : { kind: 'choice', options };
}

function sequenceIn(reader: Reader, depth: number): PatternNode {
  const parts: PatternNode[] = [];
  while (reader.at < reader.source.length) {
    const next = reader.source[reader.at];
    if (next === '|' || next === ')') break;
    const token = tokenIn(reader);
    const last = parts.at(-1);
    if (last !== undefined && isRepetition(token)) {
      parts[parts.length - 1] = { kind: 'repeat', part: last, ...repetitionOf(token) };
    } else parts.push(nodeOf(token, reader, depth));
  }
  return { kind: 'sequence', parts };
}

function tokenIn(reader: Reader): string {
  TOKEN.lastIndex = reader.at;
  const token = TOKEN.exec(reader.source)?.[0] ?? '';
  reader.at += Math.max(token.length, 1);
  return token;
}

function nodeOf(token: string, reader: Reader, depth: number): PatternNode {
  if (token.startsWith('(')) {
    const group = choiceIn(reader, depth + 1);
    reader.at += 1; // the closing parenthesis
    return group;
  }
  if (/^(?:\^|\$|\\[bB])$/.test(token)) return { kind: 'assertion', source: token };
  return { kind: 'character', source: token };
}

function isRepetition(token: string): boolean {
  return /^(?:[*+?]|\{)/.test(token);
}

function repetitionOf(token: string): { readonly least: number; readonly most: number } {
  const [, least = '0', comma = '', most = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(token) ?? [];
  if (token.startsWith('{')) {
    const open = most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return { least: Number(least), most: comma === '' ? Number(least) : open };
  }
  return {
    least: token.startsWith('+') ? 1 : 0,
    most: token.startsWith('?') ? 1 : Number.POSITIVE_INFINITY,
  };
}
