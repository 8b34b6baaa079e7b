import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepJson, type Replacer } from '../../../operator/core/json/deep-json.ts';
import { jsonValue } from '../../support/json-arbitraries.ts';

const DEPTH = 100_000;

const REPLACERS: readonly [string, Replacer][] = [
  ['nothing', (_key, value) => value],
  ['some values with nothing', (key, value) => (key.length % 2 === 1 ? undefined : value)],
  ['numbers with texts', (key, value) => (typeof value === 'number' ? `${key}${value}` : value)],
  [
    'objects with lists',
    (_key, value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value)
        : value,
  ],
];

test.each(
  REPLACERS,
)('deepJson returns the same as JSON.stringify, with a replacer that replaces %s', (_, replace) => {
  const plain = fc.anything({ withSparseArray: true, withNullPrototype: true, withDate: true });

  fc.assert(
    fc.property(fc.oneof(jsonValue(), plain), (value) => {
      expect(deepJson(value, replace)).toBe(JSON.stringify(value, replace) ?? 'null');
    }),
  );
});

test.each([
  ['objects', '{"a":', '}'],
  ['lists', '[1,', ']'],
  ['both', '{"__proto__":[', ']}'],
])('[attack A-1] deepJson writes %s at any depth of nesting', (_, begin, end) => {
  const text = `${begin.repeat(DEPTH)}null${end.repeat(DEPTH)}`;

  expect(deepJson(JSON.parse(text), (_key, value) => value)).toBe(text);
});

test.each([
  1, 2, 3_000,
])('[attack A-1] deepJson throws a typed error for a cycle of %i objects', (length) => {
  const first: Record<string, unknown> = { text: 'x' };
  let last = first;
  for (let each = 1; each < length; each++) last = last.next = { text: 'x' };
  last.next = [first];

  expect(() => deepJson(first, (_key, value) => value)).toThrow(
    expect.objectContaining({ code: 'USER_CODE', layer: 'user-code' }),
  );
});
