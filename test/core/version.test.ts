import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VERSION } from '../../operator/core/version.ts';

test('VERSION is the version of the package', () => {
  const manifest = new URL('../../package.json', import.meta.url);

  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

  expect(VERSION).toBe(version);
});
