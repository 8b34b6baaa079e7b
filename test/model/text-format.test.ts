import { expect, test } from 'vitest';
import { isFormat } from '../../operator/model/text-format.ts';

/** format, what has it, what has not */
const ROWS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'date-time',
    ['2026-11-21T06:27:59Z', '2026-11-21t06:27:59.5+01:00'],
    ['2026-11-21', '2026-02-30T00:00:00Z', '2026-11-21T25:00:00Z', ''],
  ],
  ['date', ['2024-02-29'], ['2023-02-29', '2024-2-9']],
  ['duration', ['1h30m', '0', '22 ns', '3 weeks', '-1.5s'], ['', '1', 'h', '1 lightyear']],
  ['uri', ['https://a.example/b?c', '/path', 'urn:x'], ['', 'a b', 'relative/path']],
  ['email', ['a@b.example', 'Name <a@b.example>'], ['a', 'a@', '@b', 'a b@c']],
  ['hostname', ['a.example', 'localhost', '1.example'], ['-a', 'a..b', '']],
  ['ipv4', ['10.0.0.1'], ['10.0.0', '::1', '10.0.0.256']],
  ['ipv6', ['::1', 'fe80::1'], ['10.0.0.1', ':::']],
  ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33']],
  ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab'], ['01:23:45:67:89', '01-23:45-67-89-ab']],
  [
    'uuid',
    ['e65b40c4-b1ac-4997-9c98-2a969ac46a4e'],
    ['e65b40c4', 'e65b40c4-b1ac-4997-9c98-2a969ac46a4g'],
  ],
  ['uuid4', ['e65b40c4-b1ac-4997-9c98-2a969ac46a4e'], ['e65b40c4-b1ac-3997-9c98-2a969ac46a4e']],
  ['isbn10', ['0321751043'], ['0321751044']],
  ['isbn13', ['978-0321751041'], ['978-0321751042']],
  ['isbn', ['0321751043', '9780321751041'], ['1']],
  ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
  ['ssn', ['111-22-3333'], ['111223333']],
  ['hexcolor', ['#fff', 'A0B1C2'], ['#ffff']],
  ['rgbcolor', ['rgb(255, 0,1)'], ['rgb(256,0,0)']],
  ['byte', ['aGk=', 'YWJj'], ['', 'aGk', 'a']],
  ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['507f']],
  ['k8s-short-name', ['a-b'], ['a.b', 'A', '-a']],
  ['k8s-long-name', ['a.b-c'], ['a..b']],
];

test.each(ROWS)('[F-11] strings are checked against the format %s', (format, having, lacking) => {
  expect(having.filter((text) => !isFormat(text, format))).toEqual([]);
  expect(lacking.filter((text) => isFormat(text, format))).toEqual([]);
});

test('any string is valid for the format password, and for any unknown format', () => {
  expect(isFormat('', 'password')).toBe(true);
  expect(isFormat('', 'made-up')).toBe(true);
});

test.each([
  '__proto__',
  'constructor',
  'to-String',
  'valueOf',
])('[found 5] a format named %s is not checked', (format) => {
  expect(isFormat('any text', format)).toBe(true);
});
