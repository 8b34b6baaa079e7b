import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { NANOS, parseQuantity } from 'chancery/internal-objects';

/** An amount as Kubernetes writes it, `1.5Gi` or `200m`, exact to a billionth. */
class CelQuantity {
  readonly nanos: bigint;
  /**
   * The power of ten, if the server stores the quantity as an integer times a power of ten. Undefined if the
   * server stores it as a decimal number of any size.
   */
  readonly scale: number | undefined;

  constructor(nanos: bigint, scale: number | undefined) {
    this.nanos = nanos;
    this.scale = scale;
  }

  /** @throws Error with the API server's message for a string that is not a quantity. */
  static parse(text: string): CelQuantity {
    const parsed = parseQuantity(text);
    if ('problem' in parsed) throw new Error(parsed.problem);
    return new CelQuantity(parsed.nanos, scaleOf(text));
  }

  static of(whole: bigint): CelQuantity {
    return new CelQuantity(whole * NANOS, 0);
  }

  /**
   * Whether the server treats the quantity as an integer (`int64Amount.AsInt64`, apimachinery,
   * pkg/api/resource/amount.go). A quantity that was written with smaller units, such as `2000m` or
   * `1.0`, is never an integer.
   */
  get isInteger(): boolean {
    if (this.scale === undefined || this.scale < 0) return false;
    const whole = this.nanos / NANOS;
    return whole >= -(2n ** 63n) && whole < 2n ** 63n;
  }

  /** The sum. Its unit is the smaller of the two units. */
  plus(other: CelQuantity): CelQuantity {
    const nanos = this.nanos + other.nanos;
    if (this.scale === undefined || other.scale === undefined) {
      return new CelQuantity(nanos, undefined);
    }
    if (other.nanos === 0n) return this;
    return this.nanos === 0n ? other : new CelQuantity(nanos, Math.min(this.scale, other.scale));
  }

  get negated(): CelQuantity {
    return new CelQuantity(-this.nanos, this.scale);
  }

  equals(other: unknown): boolean {
    return other instanceof CelQuantity && other.nanos === this.nanos;
  }
}

/** Powers of ten of the decimal suffixes, and powers of two of the binary suffixes. */
const DECIMAL: Readonly<Record<string, number>> = {
  ...{ n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 },
};
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const PARTS = /^[+-]?0*(\d*)\.?(\d*)(?:[eE]([+-]?\d+)|([A-Za-z]*))$/;

/** How many digits always fit into 64 bits, and how many into a double. */
const INT64_DIGITS = 18;
const BINARY_DIGITS = 15;

/**
 * The power of ten that `ParseQuantity` (apimachinery, pkg/api/resource/quantity.go) uses to store a
 * quantity.
 */
function scaleOf(text: string): number | undefined {
  const [, whole = '', fraction = '', exponent, suffix = ''] = PARTS.exec(text) ?? [];
  const length = whole.length + fraction.length;
  const power = BINARY[suffix];
  if (power === undefined) {
    const scale = Number(exponent ?? DECIMAL[suffix] ?? 0) - fraction.length;
    return length <= INT64_DIGITS && scale >= -9 ? scale : undefined;
  }
  const precision = BINARY_DIGITS - whole.length - Math.trunc((power * 3) / 10) - 1;
  return fraction === '' && precision >= 0 ? 0 : undefined;
}

/** Registers `quantity`, `isQuantity`, and the comparison and addition of quantities. */
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
      ({ nanos }: CelQuantity) => Number(nanos) / Number(NANOS),
    )
    .registerFunction(`sign(${type}): int`, ({ nanos }: CelQuantity) => signOf(nanos))
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
      a.plus(b),
    )
    .registerFunction(`${type}.add(int): ${type}`, (a: CelQuantity, b: bigint) =>
      a.plus(CelQuantity.of(b)),
    )
    .registerFunction(`${type}.sub(${type}): ${type}`, (a: CelQuantity, b: CelQuantity) =>
      a.plus(b.negated),
    )
    .registerFunction(`${type}.sub(int): ${type}`, (a: CelQuantity, b: bigint) =>
      a.plus(CelQuantity.of(-b)),
    );
}

function isQuantity(text: string): boolean {
  return !('problem' in parseQuantity(text));
}

function asInteger({ isInteger, nanos }: CelQuantity): bigint {
  if (!isInteger) throw new Error('cannot convert value to integer');
  return nanos / NANOS;
}
