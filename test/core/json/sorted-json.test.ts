import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortedJson } from '../../../operator/core/json/sorted-json.ts';

test.each([
  [
    'numbers keep their digits',
    '{"b": 9007199254740993, "a": 1.0, "c": -1e400}',
    '{"a":1.0,"b":9007199254740993,"c":-1e400}',
  ],
  [
    'keys that look like numbers are sorted as strings',
    '{"10":1,"9":2,"1":3}',
    '{"1":3,"10":1,"9":2}',
  ],
  [
    'keys of objects in arrays',
    '[{"b":1,"a":[{"d":null,"c":true}]}, []]',
    '[{"a":[{"c":true,"d":null}],"b":1},[]]',
  ],
  [
    'keys are compared without their escapes',
    '{"\\u0062":1,"a":2,"\\"":3}',
    '{"\\"":3,"a":2,"\\u0062":1}',
  ],
  ['keys are compared by UTF-8', '{"\u{1F34E}":1,"\uFB01":2}', '{"\uFB01":2,"\u{1F34E}":1}'],
  ['punctuation inside strings', '{"b":"},{\\\\","a":"[\\",:"}', '{"a":"[\\",:","b":"},{\\\\"}'],
  [
    'keys that are names of built-in properties',
    '{"constructor":1,"__proto__":{"z":1,"y":2}}',
    '{"__proto__":{"y":2,"z":1},"constructor":1}',
  ],
  ['a single value', ' "text" ', '"text"'],
  ['empty objects', ' { } ', '{}'],
])('sortedJson sorts the keys of objects: %s', (_, text, sorted) => {
  expect(sortedJson(text)).toBe(sorted);
});

test('sortedJson accepts objects nested as deeply as the API server allows', () => {
  const text = `${'{"b":0,"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;

  expect(sortedJson(text)).toBe(`${'{"a":'.repeat(10_000)}1${',"b":0}'.repeat(10_000)}`);
});

test('sortedJson does not change the value of any JSON, however it is formatted', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const plain = JSON.stringify(value);

      const sorted = sortedJson(JSON.stringify(value, null, indent));

      expect(JSON.parse(sorted)).toEqual(JSON.parse(plain));
      expect(sorted).toHaveLength(plain.length);
      expect(sortedJson(sorted)).toBe(sorted);
    }),
  );
});
