import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { celEquals } from '../runtime/value-equality.ts';

/** Types whose values have an order. */
const ORDERED: readonly string[] = [
  'int',
  'double',
  'bool',
  'string',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
];

type Ordered = number | bigint | string;

const DURATION = 'google.protobuf.Duration';

/** A duration, as the CEL library represents it. */
interface Duration {
  addDuration(other: Duration): Duration;
}

/** Registers `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf` of lists. */
export function registerListFunctions(environment: CelEnvironment): void {
  for (const type of ORDERED) {
    const list = `list<${type}>`;
    environment
      .registerFunction(`${list}.isSorted(): bool`, (items: Ordered[]) =>
        items.every((item, at) => at === 0 || (items[at - 1] ?? item) <= item),
      )
      .registerFunction(`${list}.min(): ${type}`, (items: Ordered[]) =>
        extreme(items, 'min', (a, b) => a < b),
      )
      .registerFunction(`${list}.max(): ${type}`, (items: Ordered[]) =>
        extreme(items, 'max', (a, b) => a > b),
      );
  }
  const zero = environment.evaluate('duration("0s")') as Duration;
  environment
    .registerFunction('list<int>.sum(): int', (items: bigint[]) =>
      items.reduce((sum, item) => sum + item, 0n),
    )
    .registerFunction('list<double>.sum(): double', (items: number[]) =>
      items.reduce((sum, item) => sum + item, 0),
    )
    .registerFunction(`list<${DURATION}>.sum(): ${DURATION}`, (items: Duration[]) =>
      items.reduce((sum, item) => sum.addDuration(item), zero),
    )
    .registerFunction('list<T>.indexOf(T): int', (items: unknown[], wanted: unknown) =>
      BigInt(items.findIndex((item) => celEquals(item, wanted))),
    )
    .registerFunction('list<T>.lastIndexOf(T): int', (items: unknown[], wanted: unknown) =>
      BigInt(items.findLastIndex((item) => celEquals(item, wanted))),
    );
}

function extreme(
  items: readonly Ordered[],
  name: string,
  isBetter: (a: Ordered, b: Ordered) => boolean,
): Ordered {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, item) => (isBetter(item, best) ? item : best), first);
}

/** Registers `sets.contains`, `sets.equivalent` and `sets.intersects`. */
export function registerSetFunctions(environment: CelEnvironment): void {
  class Sets {}
  const has = (list: readonly unknown[], wanted: unknown): boolean =>
    list.some((item) => celEquals(item, wanted));
  const contains = (_: unknown, all: unknown[], some: unknown[]): boolean =>
    some.every((item) => has(all, item));
  environment
    .registerType('SetsNamespace', Sets)
    .registerConstant('sets', 'SetsNamespace', new Sets())
    .registerFunction('SetsNamespace.contains(list<T>, list<T>): bool', contains)
    .registerFunction(
      'SetsNamespace.equivalent(list<T>, list<T>): bool',
      (_: unknown, a: unknown[], b: unknown[]) => contains(_, a, b) && contains(_, b, a),
    )
    .registerFunction(
      'SetsNamespace.intersects(list<T>, list<T>): bool',
      (_: unknown, a: unknown[], b: unknown[]) => a.some((item) => has(b, item)),
    );
}
