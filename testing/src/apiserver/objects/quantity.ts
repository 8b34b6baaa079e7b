type Format = 'decimal' | 'exponent' | 'binary';

const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const PATTERN = /^([+-]?)([0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const WRONG_FORMAT =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** What Go makes of the text of a resource.Quantity: the text that it writes of it, or what it says. */
export function goQuantity(text: string): { readonly text: string } | { readonly problem: string } {
  const match = PATTERN.exec(text.trim());
  if (match === null) return { problem: WRONG_FORMAT };
  const [, sign = '', number = '', suffix = ''] = match;
  const unit = unitOf(suffix);
  if (unit === undefined) return { problem: "unable to parse quantity's suffix" };
  const digits = /^([0-9]*)(?:\.([0-9]*))?$/.exec(number);
  const [, whole = '', fraction = ''] = digits ?? [];
  if (digits === null || (whole === '' && fraction === '')) {
    return { problem: 'unable to parse numeric part of quantity' };
  }
  // An amount is counted in billionths, which is the smallest there is; what is less is one.
  const scaled = BigInt(whole + fraction) * unit.factor;
  const exact = shifted(scaled, 9 + unit.exponent - fraction.length);
  const isBinary = unit.format === 'binary';
  const nanos = isBinary && exact > LARGEST_BINARY ? LARGEST_BINARY : exact;
  // Powers of 1024 are not for what is small, and not for what they would round.
  const asDecimal = isBinary && (nanos < 1024n * BILLION || nanos % BILLION !== 0n);
  const format: Format = asDecimal ? 'decimal' : unit.format;
  const minus = sign === '-' && nanos !== 0n ? '-' : '';
  return { text: minus + written(nanos, format) };
}

/** An amount as Go writes it. @param binary - in powers of 1024, where that is exact. */
export function quantityText(nanos: bigint, binary: boolean): string {
  const exact = binary && nanos >= 1024n * BILLION && nanos % BILLION === 0n;
  return written(nanos, exact ? 'binary' : 'decimal');
}

const BILLION = 1_000_000_000n;

/** An int64: no more is counted of an amount that is told in powers of 1024. */
const LARGEST_BINARY = (2n ** 63n - 1n) * BILLION;

interface Unit {
  readonly format: Format;
  readonly factor: bigint;
  readonly exponent: number;
}

function unitOf(suffix: string): Unit | undefined {
  if (Object.hasOwn(DECIMAL, suffix)) {
    return { format: 'decimal', factor: 1n, exponent: DECIMAL[suffix] ?? 0 };
  }
  const power = BINARY.indexOf(suffix);
  if (power > 0) return { format: 'binary', factor: 1024n ** BigInt(power), exponent: 0 };
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

function written(nanos: bigint, format: Format): string {
  if (nanos === 0n) return '0';
  if (format === 'binary') {
    let value = shifted(nanos, -9);
    let power = 0;
    for (; value % 1024n === 0n && power < BINARY.length - 1; power++) value /= 1024n;
    return `${value}${BINARY[power]}`;
  }
  let value = nanos;
  let exponent = -9;
  for (; value % 1000n === 0n && exponent < 18; exponent += 3) value /= 1000n;
  if (format === 'exponent') return exponent === 0 ? `${value}` : `${value}e${exponent}`;
  const suffix = Object.entries(DECIMAL).find(([, power]) => power === exponent)?.[0] ?? '';
  return `${value}${suffix}`;
}
