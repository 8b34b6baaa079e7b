/**
 * Amounts of resources: `100m`, `1.5Gi`, `1e3`. Compared in billionths, as finely as Kubernetes
 * keeps them.
 */

const FORM = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const NANO = 1_000_000_000n;

interface Quantity {
  /** In billionths, rounded up. */
  readonly nanos: bigint;
}

/** @returns undefined for what is no quantity. */
export function parseQuantity(value: unknown): Quantity | undefined {
  const match = FORM.exec(String(value).trim());
  if (match === null) return undefined;
  const [, sign, digits = '', suffix = '', exponent] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  const mantissa = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const scale = 10n ** BigInt(fraction.length);
  if (exponent !== undefined) {
    const power = Number(exponent) + 9;
    const nanos =
      power >= 0
        ? divideUp(mantissa * 10n ** BigInt(power), scale)
        : divideUp(mantissa, 10n ** BigInt(-power) * scale);
    return { nanos };
  }
  if (BINARY.includes(suffix) && suffix !== '') {
    const factor = 1024n ** BigInt(BINARY.indexOf(suffix));
    return { nanos: divideUp(mantissa * factor * NANO, scale) };
  }
  const factor = 1000n ** BigInt(DECIMAL.indexOf(suffix));
  return { nanos: divideUp(mantissa * factor, scale) };
}

function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by > 0n ? quotient + 1n : quotient;
}

/** Less than, equal to or more than nothing; undefined where one of the two is no quantity. */
export function compareQuantities(left: unknown, right: unknown): number | undefined {
  const [a, b] = [parseQuantity(left), parseQuantity(right)];
  if (a === undefined || b === undefined) return undefined;
  return a.nanos < b.nanos ? -1 : Number(a.nanos > b.nanos);
}
