import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  DNS_1035_LABEL,
  DNS_LABEL,
  DNS_SUBDOMAIN,
  isDns1035Label,
  isDnsLabel,
  isDnsSubdomain,
} from '../../operator/model/dns-name.ts';

const root = new URL('../../', import.meta.url);

test.each<[text: string, label: boolean, subdomain: boolean, rfc1035: boolean]>([
  ['shop', true, true, true],
  ['s', true, true, true],
  ['shop-2', true, true, true],
  ['2shops', true, true, false],
  ['a--b', true, true, true],
  ['shop.example', false, true, false],
  ['7.example', false, true, false],
  ['x'.repeat(63), true, true, true],
  ['x'.repeat(64), false, true, false],
  ['x'.repeat(253), false, true, false],
  ['x'.repeat(254), false, false, false],
  [`${'x'.repeat(126)}.${'y'.repeat(126)}`, false, true, false],
  ['', false, false, false],
  ['-shop', false, false, false],
  ['shop-', false, false, false],
  ['Shop', false, false, false],
  ['shop.', false, false, false],
  ['.shop', false, false, false],
  ['a..b', false, false, false],
  ['a.-b', false, false, false],
  ['a_b', false, false, false],
  ['shop\n', false, false, false],
  ['..', false, false, false],
  ['é', false, false, false],
])('%j is a DNS label: %s, a subdomain: %s, a label of RFC 1035: %s', (text, ...expected) => {
  expect([isDnsLabel(text), isDnsSubdomain(text), isDns1035Label(text)]).toEqual(expected);
});

test('a DNS label may have another length limit', () => {
  expect([isDnsLabel('shops', 5), isDnsLabel('shops', 4)]).toEqual([true, false]);
});

test('patterns for DNS names can be used inside longer patterns', () => {
  const key = new RegExp(`^(${DNS_SUBDOMAIN}/)?(${DNS_LABEL}|${DNS_1035_LABEL}:)$`);

  const keys = ['a.b/c', 'c', 'a.b/c:', 'a.b/', '/c', 'a./c', 'a.b/c.d'];
  expect(keys.filter((text) => key.test(text))).toEqual(['a.b/c', 'c', 'a.b/c:']);
});

test('no other file of the toolkit or the test kit contains the patterns for DNS names', () => {
  const files = globSync('{operator,testing/src}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const writing = files.filter((file) =>
    readFileSync(new URL(file, root), 'utf8').includes('([-a-z0-9]'),
  );

  expect(writing).toEqual(['operator/model/dns-name.ts']);
});
