import { expect, test } from 'vitest';
import { missingFor } from '../missing.ts';

const everything = {
  chancery: '/dist/index.js',
  hasPackage: () => true,
  hasCommand: () => true,
  hasKubectl: true,
};
const nothing = {
  chancery: undefined,
  hasPackage: () => false,
  hasCommand: () => false,
  hasKubectl: false,
};

test('nothing is reported if every requirement is installed', () => {
  expect(missingFor(['client-node', 'shell', 'curl-kubectl'], everything)).toEqual([]);
});

test('each missing requirement is reported once, with a remedy', () => {
  const names = ['client-node', 'client-node-idle', 'fluent-client', 'curl-kubectl'] as const;

  expect(missingFor(names, nothing)).toEqual([
    'Chancery is not built: npm run build',
    '@kubernetes/client-node is not installed: npm ci --prefix bench',
    'kubernetes-fluent-client is not installed: npm ci --prefix bench',
    'curl is not on the PATH: install it, or leave it out with --only',
    'there is no kubectl: set KUBECTL, or put one on the PATH',
  ]);
});

test('requirements of subjects that do not run are not reported', () => {
  expect(missingFor(['drain'], { ...nothing, chancery: '/dist/index.js' })).toEqual([]);
});
