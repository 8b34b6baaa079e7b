/** The packages of the operator image: what `chancery` depends on, and nothing of the test kit. */
import { expect, test } from 'vitest';
import { lockedPackages } from './support/locked-packages.ts';

test("[security P6] the operator's image installs exactly the packages that this test lists", {
  timeout: 120_000,
}, async () => {
  const packages = await lockedPackages();

  expect(packages.map(({ name }) => name).toSorted()).toEqual([
    '@opentelemetry/api',
    '@pinojs/redact',
    'atomic-sleep',
    'bintrees',
    'diff',
    'on-exit-leak-free',
    'pino',
    'pino-abstract-transport',
    'pino-std-serializers',
    'process-warning',
    'prom-client',
    'quick-format-unescaped',
    'real-require',
    'safe-stable-stringify',
    'sonic-boom',
    'split2',
    'tdigest',
    'thread-stream',
    'typebox',
    'undici',
    'yaml',
  ]);
});
