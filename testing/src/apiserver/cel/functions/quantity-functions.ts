import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { NANOS, parseQuantity } from 'chancery/internal-objects';

/** An amount as Kubernetes writes it, `1.5Gi` or `200m`, exact to a billionth. */
class CelQuantity {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Throws what the API server says of a text that is no quantity. */
  static parse(text: string): CelQuantity {
    const parsed = parseQuantity(text);
    if ('problem' in parsed) throw new Error(parsed.problem);
    return new CelQuantity(parsed.nanos);
  }

  get isInteger(): boolean {
    const whole = this.nanos / NANOS;
    return this.nanos % NANOS === 0n && whole >= -(2n ** 63n) && whole < 2n ** 63n;
  }

  plus(nanos: bigint): CelQuantity {
    return new CelQuantity(this.nanos + nanos);
  }

  equals(other: unknown): boolean {
    return other instanceof CelQuantity && other.nanos === this.nanos;
  }
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
      ({ nanos }: CelQuantity) => Number(nanos) / Number(NANOS),
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
    .registerFunction(`${type}.add(int): ${type}`, (a: CelQuantity, b: bigint) => a.plus(b * NANOS))
    .registerFunction(`${type}.sub(${type}): ${type}`, (a: CelQuantity, b: CelQuantity) =>
      a.plus(-b.nanos),
    )
    .registerFunction(`${type}.sub(int): ${type}`, (a: CelQuantity, b: bigint) =>
      a.plus(-b * NANOS),
    );
}

function isQuantity(text: string): boolean {
  return !('problem' in parseQuantity(text));
}

function asInteger({ isInteger, nanos }: CelQuantity): bigint {
  if (!isInteger) throw new Error('cannot convert value to integer');
  return nanos / NANOS;
}
