/** The notation of a quantity: `100m`, `1e3` or `1Gi`. */
type QuantityFormat = 'decimal' | 'exponent' | 'binary';

/** The value of a quantity. */
export interface ParsedQuantity {
  /** The amount in billionths of 1. Smaller fractions are rounded away from zero. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

/** The result for a string that is not a quantity. */
interface NoQuantity {
  /** The reason, with the message of the API server. */
  readonly problem: string;
}

/**
 * The suffixes of quantities in ascending order. Each decimal suffix means 1,000 times the previous one,
 * beginning with 10^-9. Each binary suffix means 1,024 times the previous one, beginning with 1.
 */
export const QUANTITY_SUFFIXES: {
  readonly decimal: readonly string[];
  readonly binary: readonly string[];
} = {
  decimal: ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'],
  binary: ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'],
};

/** The number of billionths in 1. */
export const NANOS: bigint = 1_000_000_000n;

/** The largest int64. A quantity with a binary suffix cannot be larger. */
const LARGEST_BINARY = (2n ** 63n - 1n) * NANOS;

/**
 * The pattern from the API server's message, changed so that it can match a string in only one way. In the
 * original, digits can belong to the number or to the suffix, so a long string that is not a quantity would
 * take minutes.
 */
const PATTERN = /^([+-]?)([0-9.]+)((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;
const WRONG_FORMAT =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/**
 * Parses a string such as `128Mi`, `10m`, `1e9` or `1` like `ParseQuantity` of k8s.io/apimachinery,
 * pkg/api/resource. The result is exact to a billionth. With a binary suffix it is at most 2^63-1. Exponents
 * have at most three digits.
 *
 * @param text - the quantity, without white space around it.
 */
export function parseQuantity(text: string): ParsedQuantity | NoQuantity {
  const match = PATTERN.exec(text);
  if (match === null) return { problem: WRONG_FORMAT };
  const [, sign = '', number = '', suffix = ''] = match;
  const unit = unitOf(suffix);
  if (unit === undefined) return { problem: "unable to parse quantity's suffix" };
  const digits = /^([0-9]*)(?:\.([0-9]*))?$/.exec(number);
  const [, whole = '', fraction = ''] = digits ?? [];
  if (digits === null || (whole === '' && fraction === '')) {
    return { problem: 'unable to parse numeric part of quantity' };
  }
  const scaled = BigInt(whole + fraction) * unit.factor;
  const exact = shifted(scaled, 9 + unit.exponent - fraction.length);
  const nanos = unit.format === 'binary' && exact > LARGEST_BINARY ? LARGEST_BINARY : exact;
  return { nanos: sign === '-' ? -nanos : nanos, format: unit.format };
}

interface Unit {
  readonly format: QuantityFormat;
  readonly factor: bigint;
  readonly exponent: number;
}

function unitOf(suffix: string): Unit | undefined {
  const { decimal, binary } = QUANTITY_SUFFIXES;
  const step = decimal.indexOf(suffix);
  if (step >= 0) return { format: 'decimal', factor: 1n, exponent: 3 * step - 9 };
  const power = binary.indexOf(suffix);
  if (power > 0) return { format: 'binary', factor: 1_024n ** BigInt(power), exponent: 0 };
  const exponent = /^[eE]([-+]?[0-9]{1,3})$/.exec(suffix)?.[1];
  if (exponent === undefined) return undefined;
  return { format: 'exponent', factor: 1n, exponent: Number(exponent) };
}

/** `value` × 10^places, rounded up. */
function shifted(value: bigint, places: number): bigint {
  if (places >= 0) return value * 10n ** BigInt(places);
  const divisor = 10n ** BigInt(-places);
  return (value + divisor - 1n) / divisor;
}
