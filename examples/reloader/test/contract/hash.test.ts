/** Hashes beyond the fixtures: order, bytes, and base64 as Go reads it. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashOfConfigMap, hashOfProviderStatus, hashOfSecret } from '../../contract/hash.ts';

const sha1 = (bytes: string | Buffer): string => createHash('sha1').update(bytes).digest('hex');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Keys of data as the API server allows them. */
const key = fc.stringMatching(/^[-._a-zA-Z0-9]{1,20}$/);
const text = fc.string({ unit: 'grapheme' });
const texts = fc.dictionary(key, text);
const blobs = fc.dictionary(key, fc.uint8Array({ maxLength: 40 }));

const encoded = (data: Readonly<Record<string, Uint8Array>>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([name, bytes]) => [name, base64(bytes)]));
const reversed = <T>(data: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(data).reverse());

/** The rule of the contract once more, byte by byte: items as arrays of numbers, sorted and joined. */
function expectedHash(items: readonly (readonly number[])[]): string {
  const compare = (a: readonly number[], b: readonly number[]): number => {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      if (a[at] !== b[at]) return (a[at] ?? 0) - (b[at] ?? 0);
    }
    return a.length - b.length;
  };
  const joined = items
    .toSorted(compare)
    .flatMap((item, index) => (index === 0 ? item : [0x3b, ...item]));
  return sha1(Buffer.from(joined));
}

const itemOf = (name: string, bytes: Uint8Array): number[] => [
  ...Buffer.from(`${name}=`),
  ...bytes,
];

describe('[reloader 8] the hash', () => {
  test('the hash of a ConfigMap does not depend on the order of keys', () => {
    fc.assert(
      fc.property(texts, blobs, (data, binary) => {
        const binaryData = encoded(binary);

        expect(hashOfConfigMap({ data: reversed(data), binaryData: reversed(binaryData) })).toBe(
          hashOfConfigMap({ data, binaryData }),
        );
      }),
    );
  });

  test('the hash of a ConfigMap covers its items in byte order', () => {
    fc.assert(
      fc.property(texts, blobs, (data, binary) => {
        const items = [
          ...Object.entries(data).map(([name, value]) => itemOf(name, Buffer.from(value))),
          ...Object.entries(binary).map(([name, bytes]) =>
            itemOf(name, Buffer.from(base64(bytes))),
          ),
        ];

        expect(hashOfConfigMap({ data, binaryData: encoded(binary) })).toBe(expectedHash(items));
      }),
    );
  });

  test('the hash of a Secret covers its items in byte order', () => {
    fc.assert(
      fc.property(blobs, (data) => {
        const items = Object.entries(data).map(([name, bytes]) => itemOf(name, bytes));

        expect(hashOfSecret({ data: encoded(data) })).toBe(expectedHash(items));
        expect(hashOfSecret({ data: reversed(encoded(data)) })).toBe(expectedHash(items));
      }),
    );
  });

  test('the hash of mounted CSI objects does not depend on their order', () => {
    const object = fc.record({ id: text, version: text });
    fc.assert(
      fc.property(fc.array(object), text, (objects, secretProviderClassName) => {
        const found = hashOfProviderStatus({ secretProviderClassName, objects });

        expect(
          hashOfProviderStatus({ secretProviderClassName, objects: objects.toReversed() }),
        ).toBe(found);
      }),
    );
  });

  test('the hash sorts U+FFFD before code points above U+FFFF, although their UTF-16 code units are lower', () => {
    const objects = [
      { id: '\u{1f600}', version: '1' },
      { id: '\ufffd', version: '1' },
    ];

    const found = hashOfProviderStatus({ secretProviderClassName: 'c', objects });

    expect(found).toBe(sha1('SecretProviderClassName=c;\ufffd=1;\u{1f600}=1'));
    expect([...objects.map(({ id }) => id)].sort()[0]).toBe('\u{1f600}'); // by UTF-16 units
  });

  test('the hash sorts items by key and value together if one key is the beginning of another', () => {
    expect(hashOfConfigMap({ data: { 'a=': '', a: '=' } })).toBe(sha1('a==;a=='));
    expect(hashOfConfigMap({ data: { a: '~', 'a.b': '' } })).toBe(sha1('a.b=;a=~'));
    expect(hashOfConfigMap({ data: { a: 'x', A: 'y', _: 'z' } })).toBe(sha1('A=y;_=z;a=x'));
  });

  test('the hash ignores inherited keys of JavaScript objects', () => {
    const data = JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>;

    expect(hashOfConfigMap({ data })).toBe(sha1('__proto__=1;constructor=2'));
  });

  test('the hash of a Secret distinguishes two bytes that are not valid text', () => {
    const one = hashOfSecret({ data: { k: base64(Uint8Array.of(0xff)) } });
    const other = hashOfSecret({ data: { k: base64(Uint8Array.of(0xfe)) } });

    expect(one).not.toBe(other);
  });

  test("the hash replaces lone surrogates by U+FFFD, like Go's JSON decoder", () => {
    expect(hashOfConfigMap({ data: { k: 'a\ud800' } })).toBe(sha1('k=a\ufffd'));
  });

  test('the hash treats null as empty in maps, in values and in the objects of a status', () => {
    const nothing = { data: null, binaryData: null };

    expect(hashOfConfigMap(nothing)).toBe(sha1(''));
    expect(hashOfConfigMap({ data: { k: null }, binaryData: { l: null } })).toBe(sha1('k=;l='));
    expect(hashOfSecret({ data: { k: null } })).toBe(sha1('k='));
    expect(hashOfProviderStatus({ objects: null })).toBe(sha1('SecretProviderClassName='));
    expect(hashOfProviderStatus({ objects: [{}] })).toBe(sha1('=;SecretProviderClassName='));
  });

  test.each([
    ['line breaks inside', 'AP\r\n8Q\n', 'AP8Q'],
    ['surplus bits in the last character', 'AP9=', 'AP8='],
    ['nothing', '', ''],
  ])('the hash decodes base64 like Go: %s', (_, written, canonical) => {
    expect(hashOfConfigMap({ binaryData: { k: written } })).toBe(sha1(`k=${canonical}`));
    expect(hashOfSecret({ data: { k: written } })).toBe(
      sha1(Buffer.concat([Buffer.from('k='), Buffer.from(canonical, 'base64')])),
    );
  });

  test.each([
    'AP8',
    'A===',
    'AP-_',
    'AP8Q=',
    'AP 8Q',
    'AP8Q*',
    '=',
    'AP8=AP8Q',
  ])('for %j, which is not base64, no hash is computed, and the error contains only the key', (written) => {
    for (const hash of [
      () => hashOfConfigMap({ binaryData: { 'tls.key': written } }),
      () => hashOfSecret({ data: { good: 'AAAA', 'tls.key': written } }),
    ]) {
      expect(hash).toThrow(
        expect.objectContaining({
          name: 'ProtocolError',
          code: 'DECODE',
          message: 'a value of the data is not base64',
          context: { key: 'tls.key' },
        }),
      );
    }
  });

  test('the hash of a Secret of 1 MiB covers all its bytes', () => {
    const value = Buffer.alloc(1024 * 1024, 0xa5);

    expect(hashOfSecret({ data: { big: value.toString('base64') } })).toBe(
      sha1(Buffer.concat([Buffer.from('big='), value])),
    );
  });
});
