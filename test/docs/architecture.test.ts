/** The files that the pages on architecture name are there. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { guide } from './guide.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = ['operator', 'testing/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }),
);

test.each([
  'architecture.md',
  'architecture-controllers.md',
])('every file that %s names is there', (page) => {
  const named = [...guide(page).matchAll(/`([\w./-]+\.(?:ts|json))`/g)].map(
    ([, file = '']) => file,
  );
  const isThere = (file: string): boolean =>
    existsSync(join(root, file)) ||
    files.some((each) => each === file || each.endsWith(`/${file}`));

  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !isThere(file))).toEqual([]);
});
