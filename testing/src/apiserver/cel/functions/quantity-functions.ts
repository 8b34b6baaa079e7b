import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';

const BILLION = 1_000_000_000n;

const FACTORS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  n: [1n, BILLION],
  u: [1_000n, BILLION],
  m: [1_000_000n, BILLION],
  '': [1n, 1n],
  k: [1_000n, 1n],
  M: [1_000_000n, 1n],
  G: [BILLION, 1n],
  T: [BILLION * 1_000n, 1n],
  P: [BILLION * 1_000_000n, 1n],
  E: [BILLION * BILLION, 1n],
  Ki: [1_024n, 1n],
  Mi: [1_024n ** 2n, 1n],
  Gi: [1_024n ** 3n, 1n],
  Ti: [1_024n ** 4n, 1n],
  Pi: [1_024n ** 5n, 1n],
  Ei: [1_024n ** 6n, 1n],
};

/** An amount as Kubernetes writes it, `1.5Gi` or `200m`, exact to a billionth. */
class CelQuantity {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  static parse(text: string): CelQuantity {
    const [, sign = '', whole = '', fraction = '', suffix = ''] =
      /^([+-]?)(\d*)(?:\.(\d*))?([A-Za-z]{0,2}|[eE][+-]?\d{1,3})$/.exec(text) ?? [];
    const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
    const factor = exponent === undefined ? FACTORS[suffix] : powerOfTen(Number(exponent));
    if (factor === undefined || whole + fraction === '') {
      throw new Error(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      );
    }
    const [times, per] = factor;
    const digits = BigInt(whole + fraction) * times * BILLION;
    const divisor = per * 10n ** BigInt(fraction.length);
    // What is less than a billionth counts as one.
    const nanos = (digits + divisor - 1n) / divisor;
    return new CelQuantity(sign === '-' ? -nanos : nanos);
  }

  get isInteger(): boolean {
    const whole = this.nanos / BILLION;
    return this.nanos % BILLION === 0n && whole >= -(2n ** 63n) && whole < 2n ** 63n;
  }

  plus(nanos: bigint): CelQuantity {
    return new CelQuantity(this.nanos + nanos);
  }

  equals(other: unknown): boolean {
    return other instanceof CelQuantity && other.nanos === this.nanos;
  }
}

function powerOfTen(exponent: number): readonly [bigint, bigint] {
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? [1n, power] : [power, 1n];
}

/** `quantity`, `isQuantity`, and how quantities are compared and added. */
export function registerQuantityFunctions(environment: CelEnvironment): void {
  const type = 'kubernetes.Quantity';
  const signOf = (nanos: bigint): bigint => (nanos === 0n ? 0n : nanos > 0n ? 1n : -1n);
  environment
    .registerType(type, CelQuantity)
    .registerOperator(`${type} == ${type}`, (a: CelQuantity, b: CelQuantity) => a.equals(b))
    .registerFunction(`quantity(string): ${type}`, (text: string) => CelQuantity.parse(text))
    .registerFunction('isQuantity(string): bool', isQuantity)
    .registerFunction(`${type}.isInteger(): bool`, ({ isInteger }: CelQuantity) => isInteger)
    .registerFunction(`${type}.asInteger(): int`, asInteger)
    .registerFunction(
      `${type}.asApproximateFloat(): double`,
      ({ nanos }: CelQuantity) => Number(nanos) / Number(BILLION),
    )
    .registerFunction(`${type}.sign(): int`, ({ nanos }: CelQuantity) => signOf(nanos))
    .registerFunction(`${type}.compareTo(${type}): int`, (a: CelQuantity, b: CelQuantity) =>
      signOf(a.nanos - b.nanos),
    )
    .registerFunction(
      `${type}.isGreaterThan(${type}): bool`,
      (a: CelQuantity, b: CelQuantity) => a.nanos > b.nanos,
    )
    .registerFunction(
      `${type}.isLessThan(${type}): bool`,
      (a: CelQuantity, b: CelQuantity) => a.nanos < b.nanos,
    )
    .registerFunction(`${type}.add(${type}): ${type}`, (a: CelQuantity, b: CelQuantity) =>
      a.plus(b.nanos),
    )
    .registerFunction(`${type}.add(int): ${type}`, (a: CelQuantity, b: bigint) =>
      a.plus(b * BILLION),
    )
    .registerFunction(`${type}.sub(${type}): ${type}`, (a: CelQuantity, b: CelQuantity) =>
      a.plus(-b.nanos),
    )
    .registerFunction(`${type}.sub(int): ${type}`, (a: CelQuantity, b: bigint) =>
      a.plus(-b * BILLION),
    );
}

function isQuantity(text: string): boolean {
  try {
    CelQuantity.parse(text);
    return true;
  } catch {
    return false;
  }
}

function asInteger({ isInteger, nanos }: CelQuantity): bigint {
  if (!isInteger) throw new Error('cannot convert value to integer');
  return nanos / BILLION;
}
