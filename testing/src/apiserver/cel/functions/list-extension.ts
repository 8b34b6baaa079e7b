import { type Environment as CelEnvironment, Optional } from '@marcbachmann/cel-js';
import { Budget } from '../runtime/budget.ts';
import { celEquals } from '../runtime/value-equality.ts';

/** Types of items that `sort` accepts. */
const COMPARABLE: readonly string[] = [
  'int',
  'uint',
  'double',
  'bool',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'string',
  'bytes',
];

/** The maximum length of a list that `lists.range` makes. It is above the step limit of every expression. */
const MOST_NUMBERS = 10_000_000;

/**
 * Registers version 3 of cel-go's list extension (`slice`, `flatten`, `sort`, `distinct`, `reverse`,
 * `lists.range`), which Kubernetes has had since 1.34. Also registers `first`, `last`, `unwrapOpt` and
 * `optional.unwrap` of cel-go's optional types.
 */
export function registerListExtension(environment: CelEnvironment): void {
  class Lists {}
  environment
    .registerType('ListsNamespace', Lists)
    .registerConstant('lists', 'ListsNamespace', new Lists())
    .registerFunction('ListsNamespace.range(int): list<int>', (_: unknown, count: bigint) =>
      numbers(count),
    )
    .registerFunction('list<T>.slice(int, int): list<T>', slice)
    .registerFunction('list<dyn>.flatten(): list<dyn>', (items: unknown[]) => flatten(items, 1n))
    .registerFunction('list<dyn>.flatten(int): list<dyn>', flatten)
    .registerFunction('list<T>.reverse(): list<T>', (items: unknown[]) => items.toReversed())
    .registerFunction('list<T>.distinct(): list<T>', distinct)
    .registerFunction('list<T>.first(): optional<T>', (items: unknown[]) => itemAt(items, 0))
    .registerFunction('list<T>.last(): optional<T>', (items: unknown[]) => itemAt(items, -1))
    .registerFunction('list<optional<T>>.unwrapOpt(): list<T>', unwrap)
    .registerFunction(
      'OptionalNamespace.unwrap(list<optional<T>>): list<T>',
      (_: unknown, items: Held[]) => unwrap(items),
    );
  for (const type of COMPARABLE) {
    environment.registerFunction(`list<${type}>.sort(): list<${type}>`, (items: unknown[]) =>
      sortedBy(items, items),
    );
  }
}

interface Held {
  hasValue(): boolean;
  value(): unknown;
}

function itemAt(items: readonly unknown[], index: number): unknown {
  return items.length === 0 ? Optional.none() : Optional.of(items.at(index));
}

function unwrap(items: readonly Held[]): unknown[] {
  return items.filter((item) => item.hasValue()).map((item) => item.value());
}

function numbers(count: bigint): bigint[] {
  if (count > MOST_NUMBERS) {
    Budget.charge(MOST_NUMBERS);
    throw new RangeError('too many steps');
  }
  return Array.from({ length: Math.max(Number(count), 0) }, (_, index) => BigInt(index));
}

function slice(items: readonly unknown[], start: bigint, end: bigint): unknown[] {
  const what = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new Error(`${what}, negative indexes not supported`);
  if (start > end) throw new Error(`${what}, start index must be less than or equal to end index`);
  if (BigInt(items.length) < end) throw new Error(`${what}, list is length ${items.length}`);
  return items.slice(Number(start), Number(end));
}

function flatten(items: readonly unknown[], depth: bigint): unknown[] {
  if (depth < 0n) throw new Error('level must be non-negative');
  return items.flat(depth > 1_000n ? 1_000 : Number(depth));
}

/**
 * The items without repetitions. Equal strings and numbers are found with a set. Other values are compared in
 * pairs.
 */
function distinct(items: readonly unknown[]): unknown[] {
  const simple = new Set<unknown>();
  const others: unknown[] = [];
  return items.filter((item) => {
    if (typeof item === 'string' || typeof item === 'bigint' || typeof item === 'boolean') {
      const isNew = !simple.has(item);
      simple.add(item);
      return isNew && !(typeof item === 'bigint' && others.some((other) => celEquals(other, item)));
    }
    if (others.some((other) => celEquals(other, item))) return false;
    others.push(item);
    return typeof item !== 'number' || !Number.isInteger(item) || !simple.has(BigInt(item));
  });
}

/** The items in the order of their keys. Items with equal keys keep their order. */
export function sortedBy(items: readonly unknown[], keys: readonly unknown[]): unknown[] {
  const [first] = keys;
  if (first !== undefined && !isComparable(first))
    throw new Error('list elements must be comparable');
  if (keys.some((key) => kindOf(key) !== kindOf(first))) {
    throw new Error('list elements must have the same type');
  }
  return items
    .map((item, index) => ({ item, key: keys[index] }))
    .sort((a, b) => order(a.key, b.key))
    .map(({ item }) => item);
}

function isComparable(value: unknown): boolean {
  return (
    typeof value !== 'object' ||
    value instanceof Uint8Array ||
    typeof primitiveOf(value) !== 'object'
  );
}

function kindOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value.constructor : typeof value;
}

function order(left: unknown, right: unknown): number {
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  const [a, b] = [primitiveOf(left), primitiveOf(right)];
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  if (a === b) return 0;
  return (a as number) < (b as number) ? -1 : 1;
}

function primitiveOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value.valueOf() : value;
}
