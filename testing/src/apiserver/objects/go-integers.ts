/** The errors of Go's strconv for decimal integers of 64 bits. */

const MAX_UINT64 = 2n ** 64n - 1n;

/** The error of `strconv.ParseInt(text, 10, 64)`; undefined if it can parse `text`. */
export function int64Problem(text: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return problem('ParseInt', text, 'invalid syntax');
  const number = BigInt(text);
  if (number === BigInt.asIntN(64, number)) return undefined;
  return problem('ParseInt', text, 'value out of range');
}

/**
 * The error of `strconv.ParseUint(text, 10, 64)`, which accepts no sign; undefined if it can parse `text`.
 */
export function uint64Problem(text: string): string | undefined {
  if (!/^[0-9]+$/.test(text)) return problem('ParseUint', text, 'invalid syntax');
  return BigInt(text) <= MAX_UINT64 ? undefined : problem('ParseUint', text, 'value out of range');
}

function problem(name: string, text: string, why: string): string {
  return `strconv.${name}: parsing ${JSON.stringify(text)}: ${why}`;
}
