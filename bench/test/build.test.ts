import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { chanceryEntry, toJavaScript } from '../build.ts';

test('the compiled text has no types, and its relative imports refer to compiled files', () => {
  const source = [
    `import { type Profile, pathOf } from './profile.ts';`,
    `import type { Message } from '../message.ts';`,
    `const { x } = await import('../../test/support/load/profiles.ts');`,
    `import { once } from 'node:events';`,
    `export const answer: number = pathOf(x as Profile);`,
  ].join('\n');

  const text = toJavaScript(source);

  expect(text).toContain(`pathOf } from './profile.js';`);
  expect(text).toContain(`await import('../../test/support/load/profiles.js')`);
  expect(text).toContain(`from 'node:events'`);
  expect(text).not.toMatch(/Message|: number|as Profile/);
});

test('the entry of the package is undefined before the build, and is found after the build', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'chancery-entry-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifest = join(folder, 'package.json');
  const entry = { 'chancery-source': './index.ts', default: './dist/index.js' };
  writeFileSync(manifest, JSON.stringify({ name: 'chancery', exports: { '.': entry } }));
  writeFileSync(join(folder, 'index.ts'), ''); // what the conditions of the benchmark lead to

  const before = chanceryEntry(pathToFileURL(manifest));
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/index.js'), '');
  const after = chanceryEntry(pathToFileURL(manifest));

  expect([before, after]).toEqual([undefined, join(folder, 'dist/index.js')]);
});
