import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { celEquals } from '../runtime/value-equality.ts';

/** `sets.contains`, `sets.equivalent` and `sets.intersects`. */
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
