/** The files that the page on architecture names are there. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { guide } from './guide.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = ['operator', 'testing/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }),
);

test('every file in architecture.md exists', () => {
  const named = [...guide('architecture.md').matchAll(/`([\w./-]+\.(?:ts|json))`/g)].map(
    ([, file = '']) => file,
  );
  const isThere = (file: string): boolean =>
    existsSync(join(root, file)) ||
    files.some((each) => each === file || each.endsWith(`/${file}`));

  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !isThere(file))).toEqual([]);
});
