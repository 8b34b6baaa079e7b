import { expect, test } from 'vitest';
import { isLoopbackAddress, isLoopbackHost } from '../../operator/core/loopback.ts';

test.each([
  'localhost',
  '127.0.0.1',
  '[::1]',
  'localhost:0',
  '127.0.0.1:65535',
  '[::1]:80',
])('isLoopbackHost returns true for the Host %j', (header) => {
  expect(isLoopbackHost(header)).toBe(true);
});

test.each([
  '',
  'LOCALHOST',
  'localhost.',
  'localhost:',
  'localhost:http',
  'localhost:1:1',
  '127.0.0.2',
  '127.1',
  '0.0.0.0',
  '2130706433',
  '::1',
  '[::1',
  '[::ffff:127.0.0.1]',
  'evil.example',
  'evil-localhost',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'localhost@evil.example',
  'evil.example:localhost',
  'localhost\nevil.example',
  'localhost\n',
])('isLoopbackHost returns false for the Host %j', (header) => {
  expect(isLoopbackHost(header)).toBe(false);
});

test('only 127.0.0.0/8 and ::1 are loopback addresses', () => {
  const addresses = ['127.0.0.1', '127.9.8.7', '::1', '128.0.0.1', '::', '0.0.0.0', '127.evil', ''];

  expect(addresses.filter(isLoopbackAddress)).toEqual(['127.0.0.1', '127.9.8.7', '::1']);
});
