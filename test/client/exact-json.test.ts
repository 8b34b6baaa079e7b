import { FakeClock } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeExact, restClient } from '../../operator/client/rest-client.ts';
import { parseExact } from '../../operator/core/json/parse-exact.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { cannedTransport } from './canned-transport.ts';

const { signal } = new AbortController();
const target = { namespace: 'demo', name: 'a' };
const WIRE =
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"demo","resourceVersion":"1"},' +
  '"spec":{"x":9007199254740993,"least":-9223372036854775808,"list":[18446744073709551615]},' +
  '"data":{"__proto__":"p","constructor":"c","text":"9007199254740993"}}';

test('[P-10] an object with large integers and `__proto__` is read and written without a change', async () => {
  const transport = cannedTransport(() => ({ body: WIRE }));
  const clock = new FakeClock();
  const client = restClient({ transport, fieldManager: 'tester', clock, exactIntegers: true });

  const object = await client.get(configMaps, target, { signal });
  await client.update(configMaps, object, { signal });
  await client.patch(configMaps, target, { type: 'merge', body: object }, { signal });

  expect(object).toMatchObject({ spec: { x: 9_007_199_254_740_993n } });
  expect(transport.requests.map(({ body }) => body)).toEqual([undefined, WIRE, WIRE]);
});

test('[P-10] by default, large integers are rounded, and an update that contains a rounded integer is refused', async () => {
  const transport = cannedTransport(() => ({ body: WIRE }));
  const client = restClient({ transport, fieldManager: 'tester', clock: new FakeClock() });
  const object = await client.get(configMaps, target, { signal });

  const updating = client.update(configMaps, object, { signal });

  await expect(updating).rejects.toMatchObject({ code: 'CONFIG', context: { field: 'x' } });
  expect(transport.requests).toHaveLength(1);
});

test.each([
  ['digits in a string', '{"a":[1,-2.5,1e3,"1234567890123456789"]}'],
  ['no large integer', '{"a":{"b":null,"c":true}}'],
  ['the largest and smallest numbers', '{"a":[9007199254740991,-9007199254740991]}'],
  ['fractions', '{"a":[0.1234567890123456789]}'],
  ['large powers', '{"a":[1e300]}'],
])('[P-10] parseExact reads %s like JSON.parse', (_, text) => {
  expect(parseExact(text)).toEqual(JSON.parse(text));
});

test('[P-10] the smallest integer that a JavaScript number cannot represent is read as a bigint', () => {
  expect(parseExact('{"a":9007199254740993}')).toEqual({ a: 9_007_199_254_740_993n });
});

test('[P-10] parsing and encoding does not change any integer', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (integer) => {
      const text = `{"a":[{"b":${integer}}]}`;

      expect(encodeExact(parseExact(text))).toBe(text);
    }),
  );
});

test.each([
  Number.MAX_SAFE_INTEGER + 1,
  -(2 ** 60),
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('[P-10] the number %d is not written, because its exact value is unknown', (value) => {
  expect(() => encodeExact({ spec: { size: value } })).toThrow(
    expect.objectContaining({ code: 'CONFIG', context: { field: 'size', got: value } }),
  );
});

test.each([
  0,
  -1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
])('[P-10] an object with the number %d can be written', (value) => {
  expect(encodeExact({ value })).toBe(JSON.stringify({ value }));
});
