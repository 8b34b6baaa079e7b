import type { CharacterNode } from './tree.ts';

/**
 * A set remembers for at most this many characters whether it contains them. Texts have few different
 * characters.
 */
const MAX_KNOWN = 1_000;

/** The set of characters that one node of a pattern matches. */
export class CharacterSet {
  readonly #ranges: readonly { readonly expression: RegExp; readonly isNegated: boolean }[];
  readonly #isNegated: boolean;
  readonly #known = new Map<string, boolean>();

  constructor({ ranges, isNegated }: CharacterNode) {
    this.#isNegated = isNegated;
    this.#ranges = ranges.map((each) => ({
      expression: new RegExp(`^[${each.source}]$`, each.ignoresCase ? 'iu' : 'u'),
      isNegated: each.isNegated,
    }));
  }

  has(character: string): boolean {
    const known = this.#known.get(character);
    if (known !== undefined) return known;
    const isIn = this.#ranges.some(
      ({ expression, isNegated }) => expression.test(character) !== isNegated,
    );
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(character, isIn !== this.#isNegated);
    return isIn !== this.#isNegated;
  }
}
