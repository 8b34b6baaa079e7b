import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  digestOf,
  shownFields,
  showsAll,
} from '../../operator/controller/children/applied-memory.ts';
import { jsonValue } from '../support/json-arbitraries.ts';

const json = jsonValue();
/** What `value` is below so many lists, which only a walk without recursion can follow. */
const below = (value: unknown, levels: number): unknown => {
  let whole = value;
  for (let level = 0; level < levels; level++) whole = [whole];
  return whole;
};

test('digestOf returns the same for two values exactly if they are equal, in any order of keys', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const isSame = digestOf(one) === digestOf(other);

      expect(isSame).toBe(JSON.stringify(ordered(one)) === JSON.stringify(ordered(other)));
      expect(digestOf(structuredClone(one))).toBe(digestOf(one));
    }),
  );
});

describe.each([
  0, 50_000,
])('[attack A-1] digestOf a value that is nested %i levels deep', (levels) => {
  test.each([
    ['keys in another order', { a: 1, b: 2, 10: 3, 9: 4 }, { 9: 4, b: 2, 10: 3, a: 1 }],
    ['an undefined member', { a: 1, b: undefined }, { a: 1 }],
    ['a whole number as a bigint and as a number', { a: 5n }, { a: 5 }],
  ])('the digest is the same for %s', (_, one, other) => {
    expect(digestOf(below(one, levels))).toBe(digestOf(below(other, levels)));
  });

  test.each([
    ['an object, and a list of its members', { a: 1 }, ['a', 1]],
    ['null, and a missing member', { a: null }, {}],
    ['a member named __proto__, and a missing member', JSON.parse('{"__proto__":1}'), {}],
    ['two times', { at: new Date(1) }, { at: new Date(2) }],
    ['integers beyond 2^53', { a: 2n ** 53n }, { a: 2n ** 53n + 1n }],
  ])('a digest differs for %s', (_, one, other) => {
    expect(digestOf(below(one, levels))).not.toBe(digestOf(below(other, levels)));
  });
});

test('shownFields keeps only those fields of an object that the desired state has, and keeps lists whole', () => {
  const object = JSON.parse('{"a":{"b":1,"c":2},"l":[{"x":1,"y":2}],"__proto__":{"p":1},"z":0}');
  const stated = JSON.parse('{"a":{"b":9,"d":9},"l":[{"x":9}],"__proto__":{"p":9}}');

  const shown = shownFields(object, stated);

  expect(JSON.stringify(shown)).toBe('{"__proto__":{"p":1},"l":[{"x":1,"y":2}],"a":{"b":1}}');
  expect(showsAll(object, shown)).toBe(true);
  expect(showsAll(object, stated)).toBe(false);
});

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return {
    of: Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, ordered(part)]),
  };
}
