import type { CharacterNode } from './tree.ts';

/** Answers that a set keeps: texts have few different characters. */
const MAX_KNOWN = 1_000;

/** The characters that one place of a pattern takes. */
export class CharacterSet {
  readonly #expression: RegExp;
  readonly #known = new Map<string, boolean>();

  constructor({ source }: CharacterNode, ignoresCase: boolean) {
    this.#expression = new RegExp(`^${source}$`, ignoresCase ? 'iu' : 'u');
  }

  has(character: string): boolean {
    const known = this.#known.get(character);
    if (known !== undefined) return known;
    const found = this.#expression.test(character);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(character, found);
    return found;
  }
}
