/** One condition on labels. All requirements of a selector must hold. */
export interface Requirement {
  /** Key of the label. */
  readonly key: string;
  /** Condition on the value. `above` and `below` compare 64-bit integers. */
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'above' | 'below';
  /**
   * The values with which the label is compared. Empty for `exists` and `absent`; a single 64-bit integer for
   * `above` and `below`.
   */
  readonly values: readonly string[];
}

/** A label selector as requirements. Without requirements it selects everything. */
export type Selector = readonly Requirement[];

/** Parses an integer like Go's `strconv.ParseInt(text, 10, 64)`. Undefined where Go returns an error. */
export function int64Of(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const number = BigInt(text);
  return number === BigInt.asIntN(64, number) ? number : undefined;
}
