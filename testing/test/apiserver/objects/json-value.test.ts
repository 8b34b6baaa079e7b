import { expect, test } from 'vitest';
import {
  fieldOf,
  jsonEquals,
  withField,
  withoutField,
} from '../../../src/apiserver/objects/json-value.ts';

test('fieldOf ignores inherited properties', () => {
  expect(fieldOf({}, 'constructor')).toBeUndefined();
  expect(fieldOf({}, '__proto__')).toBeUndefined();
});

test('withField and withoutField handle __proto__ as an ordinary field', () => {
  const object = withField({ a: 1 }, '__proto__', 'x');

  expect(fieldOf(object, '__proto__')).toBe('x');
  expect(JSON.stringify(object)).toBe('{"a":1,"__proto__":"x"}');
  expect(withoutField(object, '__proto__')).toEqual({ a: 1 });
});

test.each([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [{}, [], false],
  [null, {}, false],
  [{ toString: 1 }, {}, false],
  [0, false, false],
])('jsonEquals of %j and %j is %s', (left, right, expected) => {
  expect(jsonEquals(left, right)).toBe(expected);
  expect(jsonEquals(right, left)).toBe(expected);
});
