import type { PackedText } from '../timeline-data.ts';

/**
 * Maximum number of lines in all texts of a page together. This is about 20 MB of JSON, which a browser opens
 * in a second.
 */
const MAX_LINE_NUMBERS = 4_000_000;

/**
 * After this many texts that are each stored as a difference from the previous text, the next text is stored
 * in full, so that unpacking is fast.
 */
const MAX_CHAIN = 64;

interface Kept {
  readonly lines: readonly number[];
  readonly chain: number;
}

/**
 * Stores similar texts in little memory: the versions of an object have most of their lines in common. Each
 * line is stored once, and a text stores only how it differs from the previous text.
 */
export class PackedTexts {
  readonly lines: string[] = [];
  readonly texts: PackedText[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #kept: Kept[] = [];
  readonly #limit: number;
  #used = 0;
  #omitted = 0;

  constructor(limit: number = MAX_LINE_NUMBERS) {
    this.#limit = limit;
  }

  /** The number of texts that were not stored because of the limit. */
  get omitted(): number {
    return this.#omitted;
  }

  /**
   * @param base - the index of a text that `text` may resemble.
   * @returns the index of the text, which is `base` if the two texts are equal; undefined if the text is not
   *   stored because of the limit.
   */
  add(text: readonly string[], base?: number): number | undefined {
    const lines = text.map((line) => this.#numberOf(line));
    const before = base === undefined ? undefined : this.#kept[base];
    const packed =
      before && before.chain < MAX_CHAIN ? packedOver(lines, base ?? -1, before.lines) : undefined;
    if (packed?.length === 3 && before?.lines.length === lines.length) return base;
    const stored = packed ?? [-1, 0, 0, ...lines];
    if (this.#used + stored.length > this.#limit) {
      this.#omitted++;
      return undefined;
    }
    this.#used += stored.length;
    this.#kept.push({ lines, chain: packed && before ? before.chain + 1 : 0 });
    return this.texts.push(stored) - 1;
  }

  #numberOf(line: string): number {
    const known = this.#numbers.get(line);
    if (known !== undefined) return known;
    this.#numbers.set(line, this.lines.length);
    return this.lines.push(line) - 1;
  }
}

function packedOver(lines: readonly number[], base: number, before: readonly number[]): PackedText {
  const shorter = Math.min(lines.length, before.length);
  let head = 0;
  while (head < shorter && lines[head] === before[head]) head++;
  let tail = 0;
  while (tail < shorter - head && lines.at(-1 - tail) === before.at(-1 - tail)) tail++;
  return [base, head, tail, ...lines.slice(head, lines.length - tail)];
}
