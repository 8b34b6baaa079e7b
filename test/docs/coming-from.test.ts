/** The pages for people who come from another framework: what they name of ours exists, and the index has all of them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { guide, rowsOf } from './guide.ts';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const read = (path: string): string => readFileSync(join(docs, path), 'utf8');
const pages = globSync('*.md', { cwd: join(docs, 'coming-from') }).filter(
  (page) => page !== 'index.md',
);

/** The words of every exported signature, of the settings and of the commands. */
const known = new Set(
  [
    ...globSync('{api,reference}/*.md', { cwd: docs }),
    'guides/operate/running.md',
    'start/first-operator.md',
  ]
    .flatMap((path) => read(path).match(/\w+/g) ?? [])
    .map(String),
);

test.each(pages)('each identifier of chancery in the table in %s exists', (page) => {
  const [, section = ''] = guide(`coming-from/${page}`).split('\n## What maps to what\n');
  const rows = rowsOf(section.split('\n## ')[0] ?? '').slice(1);
  const named = rows.flatMap(([, ours = '']) =>
    [...ours.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.match(/\w+/g) ?? []),
  );

  expect(rows.length).toBeGreaterThanOrEqual(6);
  expect(named.filter((word) => !known.has(word))).toEqual([]);
});

test('coming-from/index.md has one row per page', () => {
  const rows = rowsOf(guide('coming-from/index.md')).slice(1);
  const linked = rows.map(([, link = '']) => /\]\(([\w-]+\.md)\)/.exec(link)?.[1]);

  expect(linked.toSorted()).toEqual(pages.toSorted());
});
