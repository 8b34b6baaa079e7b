import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText } from '../../../../test/support/json-arbitraries.ts';
import { parseGoJson } from '../../../src/apiserver/objects/go-json.ts';
import { rebuildJson } from '../../../src/apiserver/objects/json-walk.ts';

test.each([
  ['', 'unexpected end of JSON input'],
  ['  ', 'unexpected end of JSON input'],
  ['{"broken', 'unexpected end of JSON input'],
  ['{"a":1', 'unexpected end of JSON input'],
  ['x', "invalid character 'x' looking for beginning of value"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} {}', "invalid character '{' after top-level value"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['01', "invalid character '1' after top-level value"],
  ['-a', "invalid character 'a' in numeric literal"],
  ['1.a', "invalid character 'a' after decimal point in numeric literal"],
  ['1e+a', "invalid character 'a' in exponent of numeric literal"],
  ['trae', "invalid character 'a' in literal true (expecting 'u')"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['\u001f\u008b', "invalid character '\\x1f' looking for beginning of value"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
])('the JSON text %j is refused with the message of Go', (text, message) => {
  expect(() => parseGoJson(text)).toThrow(message);
});

test('the JSON parser reports each duplicate field once, with its path', () => {
  const { value, duplicates } = parseGoJson(
    '{"data":{"a":"1","a":"2","a":"3"},"list":[{},{"x":1,"x":2}],"b":{"c":1},"b":2}',
  );

  expect(duplicates).toEqual(['data.a', 'list[1].x', 'b']);
  expect(value).toEqual({ data: { a: '3' }, list: [{}, { x: 2 }], b: 2 });
});

test('the JSON parser treats an escaped and a plain field name as the same', () => {
  expect(parseGoJson('{"a":1,"\\u0061":2}').duplicates).toEqual(['a']);
});

test('the JSON parser remembers at most a hundred duplicates', () => {
  const fields = Array.from({ length: 300 }, (_, index) => `"f${index}":1,"f${index}":2`);

  expect(parseGoJson(`{${fields.join(',')}}`).duplicates).toHaveLength(100);
});

test('the JSON parser refuses deeply nested text without a stack overflow', () => {
  expect(() => parseGoJson('['.repeat(1_000_000))).toThrow('exceeded max depth');
  expect(() => parseGoJson('{"a":'.repeat(1_000_000))).toThrow('exceeded max depth');
});

test('[attack A-1] the JSON parser accepts exactly 10,000 levels', () => {
  expect(() => parseGoJson('['.repeat(10_000) + ']'.repeat(10_000))).not.toThrow();
  expect(() => parseGoJson('['.repeat(10_001) + ']'.repeat(10_001))).toThrow(
    "invalid character '[' exceeded max depth",
  );
});

test('[attack A-7] the JSON parser reads 64-bit integers exactly, as bigint if needed', () => {
  const text = `{"a":[9007199254740991,9007199254740993,-9223372036854775808,9223372036854775808],
    "b":9007199254740993,"b":1,"c":9007199254740993.0,"d":"9007199254740993","__proto__":9007199254740993}`;

  const value = parseGoJson(text).value as Record<string, unknown>;

  expect(value.a).toEqual([9007199254740991, 9007199254740993n, -(2n ** 63n), 2 ** 63]);
  expect(value.b).toBe(1);
  expect(value.c).toBe(2 ** 53);
  expect(value.d).toBe('9007199254740993');
  expect(Object.entries(value).at(-1)).toEqual(['__proto__', 9007199254740993n]);
});

test('the JSON parser reads __proto__ as an ordinary field', () => {
  const { value } = parseGoJson('{"__proto__":{"polluted":true},"constructor":1}');

  expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('the JSON parser accepts exactly what JSON.parse accepts', () => {
  const json = fc.oneof(
    jsonText(),
    jsonText().map((text) => ` ${text}\n`),
  );
  const almost = fc
    .tuple(json, fc.nat(), fc.constantFrom('', '"', '{', '}', ',', ':', '1', '.', 'e', '\\', 'u'))
    .map(([text, at, bit]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + bit + text.slice(place + (bit === '' ? 1 : 0));
    });

  fc.assert(
    fc.property(fc.oneof(json, almost, fc.string()), (text) => {
      const outcome = (parse: () => unknown): unknown => {
        try {
          return { value: parse() };
        } catch {
          return 'refused';
        }
      };

      const rounded = (): unknown =>
        rebuildJson(parseGoJson(text).value, {
          scalar: (leaf) => (typeof leaf === 'bigint' ? Number(leaf) : leaf),
        });
      expect(outcome(rounded)).toEqual(outcome(() => JSON.parse(text)));
    }),
  );
});

test('the JSON parser reports the first number beyond float64', () => {
  expect(parseGoJson('{"a":[1e308,-2.5E+309],"b":7e999}').overflow).toBe('-2.5E+309');
  expect(parseGoJson(`[${'9'.repeat(310)}]`).overflow).toBe('9'.repeat(310));
  expect(parseGoJson('{"a":1e-999,"b":1.7e308}').overflow).toBeUndefined();
});

test('the JSON parser keeps negative zero only for floats', () => {
  const { value } = parseGoJson('{"a":-0,"b":[-0,-0.0],"c":-0e5}');

  expect(value).toEqual({ a: 0, b: [0, -0], c: -0 });
});

test('the JSON parser reports how an integer beyond 64 bits was written', () => {
  const text =
    '{"a":-9223372036854775809,"b":[9223372036854775807,18446744073709551615],"c":-9223372036854775808}';

  expect([...parseGoJson(text).fractions]).toEqual([
    ['a', '-9223372036854775809'],
    ['b[1]', '18446744073709551615'],
  ]);
});
