import { NANOS, parseQuantity, QUANTITY_SUFFIXES } from 'chancery/internal-objects';

/** Parses a `resource.Quantity` like Go. Returns the quantity in Go's format, or Go's error message. */
export function goQuantity(text: string): { readonly text: string } | { readonly problem: string } {
  const parsed = parseQuantity(text.trim());
  if ('problem' in parsed) return parsed;
  const { format } = parsed;
  const nanos = parsed.nanos < 0n ? -parsed.nanos : parsed.nanos;
  const minus = parsed.nanos < 0n ? '-' : '';
  const amount =
    format === 'exponent' ? withExponent(nanos) : quantityText(nanos, format === 'binary');
  return { text: minus + amount };
}

/** A quantity in billionths, parsed from a string or number; undefined for any other value. */
export function quantityNanos(value: unknown): bigint | undefined {
  const parsed = parseQuantity(String(value).trim());
  return 'problem' in parsed ? undefined : parsed.nanos;
}

/**
 * Compares quantities. The result is negative if the left quantity is less, zero if both are equal, positive
 * if the left quantity is greater, and undefined if one of the two is not a quantity.
 */
export function compareQuantities(left: unknown, right: unknown): number | undefined {
  const [a, b] = [quantityNanos(left), quantityNanos(right)];
  if (a === undefined || b === undefined) return undefined;
  return a < b ? -1 : Number(a > b);
}

/**
 * Writes a non-negative amount like Go.
 *
 * @param binary - whether to use the suffixes for powers of 1,024. Amounts under 1,024 and amounts with a
 * fraction are always written with decimal suffixes.
 */
export function quantityText(nanos: bigint, binary: boolean): string {
  if (binary && nanos >= 1024n * NANOS && nanos % NANOS === 0n)
    return inPowersOf1024(nanos / NANOS);
  const { value, steps } = inThousands(nanos);
  return nanos === 0n ? '0' : `${value}${QUANTITY_SUFFIXES.decimal[steps]}`;
}

function inPowersOf1024(amount: bigint): string {
  const suffixes = QUANTITY_SUFFIXES.binary;
  let value = amount;
  let power = 0;
  for (; value % 1024n === 0n && power < suffixes.length - 1; power++) value /= 1024n;
  return `${value}${suffixes[power]}`;
}

function withExponent(nanos: bigint): string {
  const { value, steps } = inThousands(nanos);
  const exponent = 3 * steps - 9;
  return nanos === 0n || exponent === 0 ? `${value}` : `${value}e${exponent}`;
}

/** Divides `nanos` by 1,000 as long as the result is a whole number and there is a suffix for it. */
function inThousands(nanos: bigint): { readonly value: bigint; readonly steps: number } {
  let value = nanos;
  let steps = 0;
  for (; value % 1000n === 0n && steps < QUANTITY_SUFFIXES.decimal.length - 1; steps++) {
    value /= 1000n;
  }
  return { value, steps };
}
