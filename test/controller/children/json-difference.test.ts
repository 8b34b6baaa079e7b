import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  differingPaths,
  isSameJson,
  mergePatchOf,
} from '../../../operator/controller/children/json-difference.ts';

type Map_ = Record<string, unknown>;

/** RFC 7386, as its pseudocode says. */
function patched(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isMap = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result = new Map(Object.entries(isMap ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, patched(result.get(key), value));
  }
  return Object.fromEntries(result);
}

describe('the function mergePatchOf', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(0, 1, '', 'x', true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), tie('value'), { maxKeys: 3 }),
    ),
  }));
  const map = fc.dictionary(fc.constantFrom('a', 'b', 'toString'), value) as fc.Arbitrary<Map_>;

  test('a merge patch turns one value into the other, and is undefined when they are equal', () => {
    fc.assert(
      fc.property(map, map, (before, after) => {
        const patch = mergePatchOf(before, after);
        expect(patched(before, patch ?? {})).toEqual(after);
        expect(patch === undefined).toBe(isSameJson(before, after));
      }),
    );
  });

  test('a merge patch does not contain unchanged fields', () => {
    const before = { a: { b: 1, c: 2, list: [1, 2] }, d: 4 };

    expect(mergePatchOf(before, { a: { b: 1, c: 3, list: [1] }, e: 5 })).toEqual({
      a: { c: 3, list: [1] },
      d: null,
      e: 5,
    });
  });
});

test('isSameJson ignores the order of keys, but not the order of list items', () => {
  expect(isSameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
  expect(isSameJson({ a: undefined }, {})).toBe(true);
  expect(isSameJson({ a: null }, {})).toBe(false);
  expect(isSameJson('1', 1)).toBe(false);
});

test('a bigint equals the rounded number in a cache', () => {
  expect(isSameJson(9_007_199_254_740_993n, 9_007_199_254_740_992)).toBe(true);
  expect(isSameJson(5n, 6)).toBe(false);
});

describe('the paths at which two values differ', () => {
  test('differingPaths returns the paths of fields, of list items and of keys with special characters', () => {
    const a = { spec: { of: [{ image: '1' }, { image: '1' }] }, meta: { 'x.dev/y': '1' } };
    const b = { spec: { of: [{ image: '1' }, { image: '2' }] }, meta: { 'x.dev/y': '2' } };

    expect(differingPaths(a, b)).toEqual(['meta[x.dev/y]', 'spec.of[1].image']);
  });

  test('differingPaths returns the list\'s path if the lengths differ, and "." if the types differ', () => {
    expect(differingPaths({ a: [1] }, { a: [1, 2] })).toEqual(['a']);
    expect(differingPaths({}, [])).toEqual(['.']);
  });

  test('differingPaths returns at most five paths', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, at]));

    expect(differingPaths(many, {})).toHaveLength(5);
  });
});
