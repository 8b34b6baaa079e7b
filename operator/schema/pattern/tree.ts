/** A pattern, or a part of a pattern. */
export type PatternNode =
  | CharacterNode
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      /** Maximum number of repetitions; infinity for no limit. */
      readonly most: number;
      /**
       * True to repeat as few times as possible. This decides which part of a text matches, not whether a
       * part matches.
       */
      readonly isLazy: boolean;
    };

/** A condition on a position between two characters. */
export type Assertion =
  | 'text start'
  | 'text end'
  | 'line start'
  | 'line end'
  | 'word boundary'
  | 'no word boundary';

/** One character of a set, such as `[a-z]`. */
export interface CharacterNode {
  readonly kind: 'character';
  readonly ranges: readonly CharacterRanges[];
  /** True for the characters that are in none of the ranges. */
  readonly isNegated: boolean;
  /** The character itself, if the pattern contains a single character instead of a class. */
  readonly literal?: string;
}

/** Characters in the syntax of JavaScript's classes, with the flag `u`: `\u{61}-\u{7a}\p{Lu}`. */
export interface CharacterRanges {
  readonly source: string;
  readonly ignoresCase: boolean;
  readonly isNegated: boolean;
}

/** Thrown when a pattern is too large to be used. No text is then compared with the pattern. */
export class PatternCostError extends Error {
  override readonly name: string = 'PatternCostError';
}
