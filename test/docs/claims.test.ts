/** The pages of claims claim nothing that no test shows, and no test shows a claim that they do not make. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { CLAIMS_PAGES, mistakesIn, readClaims, tagsIn, tagsOfRows, testsByTag } from './claims.ts';
import { testSources } from './test-titles.ts';

const tests = testsByTag();

test('each numbered row on a page of claims has a test, and each tag in a test title has a row', () => {
  const rows = CLAIMS_PAGES.flatMap((page) => tagsOfRows(page, readClaims(page)));

  expect(rows.length).toBeGreaterThan(150);
  expect(mistakesIn(rows, tests)).toEqual([]);
});

test('each file with a tagged title is a test file, or is imported by one', () => {
  const sources = testSources().map((file) =>
    readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'),
  );
  const files = [...new Set([...tests.values()].flatMap((each) => [...each.keys()]))];

  const unused = files
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => !sources.some((source) => source.includes(`/${basename(file)}';`)));

  expect(files.length).toBeGreaterThan(50);
  expect(unused).toEqual([]);
});

test('mistakesIn reports rows without a test, tags without a row, and two rows with the same number', () => {
  const shown = new Map([
    ['security 1', new Map([['test/a.test.ts', 1]])],
    ['security 3', new Map([['test/b.test.ts', 2]])],
  ]);

  expect(mistakesIn(['security 1', 'security 3'], shown)).toEqual([]);
  expect(mistakesIn(['security 1', 'security 2', 'security 1'], shown)).toEqual([
    'two rows are security 1: give the newer one the next number',
    'no title has [security 2]: tag a test that shows the row, or take the row away',
    'no row is security 3, which test/b.test.ts has',
  ]);
});

test('tagsIn counts a tag once per title, even if the title repeats it or has other tags', () => {
  const tags = tagsIn([
    '[security 1] [contract 12] one',
    '[security 1] two, and [security 1] again',
    'three [security P1]',
    'security 1, [found 1] and [F-1]',
  ]);

  expect([...tags]).toEqual([
    ['security 1', 2],
    ['contract 12', 1],
    ['security P1', 1],
  ]);
});
