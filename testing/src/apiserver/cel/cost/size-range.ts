/** The smallest and largest number of characters, bytes, items or entries of a value. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

/** The size of a value about which nothing is known. */
export const UNKNOWN_SIZE: SizeRange = { min: 0, max: Number.POSITIVE_INFINITY };

/** The cost per character of a string that is read once (cel-go: StringTraversalCostFactor). */
export const PER_CHARACTER = 0.1;
/**
 * The cost per character of a regular expression. It is multiplied by the cost of reading the searched string
 * (RegexStringLengthCostFactor).
 */
export const PER_REGEX_CHARACTER = 0.25;

export function exactly(size: number): SizeRange {
  return { min: size, max: size };
}

export function plus(left: SizeRange, right: SizeRange): SizeRange {
  return { min: left.min + right.min, max: left.max + right.max };
}

export function times(left: SizeRange, right: SizeRange): SizeRange {
  return { min: product(left.min, right.min), max: product(left.max, right.max) };
}

export function union(left: SizeRange, right: SizeRange): SizeRange {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}

/** The product, where zero times infinity is zero. */
export function product(left: number, right: number): number {
  return left === 0 || right === 0 ? 0 : left * right;
}

/** The cost of looking at each character or item of a value once, rounded up. */
export function traversal({ max }: SizeRange, factor: number = PER_CHARACTER): number {
  return Math.ceil(product(max, factor));
}

/**
 * The cost of searching a string for a regular expression. One character is added so that no search is free.
 */
export function search(text: SizeRange, regex: SizeRange): number {
  return product(traversal(plus(text, exactly(1))), traversal(regex, PER_REGEX_CHARACTER));
}
