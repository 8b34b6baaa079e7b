import { expect, test } from 'vitest';
import { der, integer } from '../../../src/apiserver/tls/der.ts';

test.each([
  ['00', '020100'],
  ['0000', '020100'],
  ['01', '020101'],
  ['0001', '020101'],
  ['7f', '02017f'],
  ['80', '02020080'],
  ['0080', '02020080'],
  ['00ff01', '020300ff01'],
])('the number %s has one form', (bytes, expected) => {
  expect(integer(Buffer.from(bytes, 'hex')).toString('hex')).toBe(expected);
});

test.each([
  [0x7f, '047f'],
  [0x80, '048180'],
  [0xff, '0481ff'],
  [0x100, '04820100'],
  [0xffff, '0482ffff'],
])('a length of %i is written in as few bytes as it takes', (length, head) => {
  const value = der(0x04, Buffer.alloc(length));

  expect(value.subarray(0, value.length - length).toString('hex')).toBe(head);
});
