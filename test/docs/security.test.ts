/** `docs/security.md` claims nothing that no test shows. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { shareOfNameFound, testsNamedIn } from './named-tests.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');

/** Rows of both tables: | whom | what | `file` › test<br>`file` › test |. */
const lines = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:from whom|what) \|/.test(line));
const rows = lines.flatMap((line) => {
  const [claim = '', cell = ''] = [line, line.split(' | ').at(-1)?.replace(/ \|$/, '')];
  return testsNamedIn(cell).map((test) => ({ claim, ...test }));
});

test('every claim names a test, by its file and its words', () => {
  const unnamed = rows.filter(
    ({ file, name }) => !/^test\/.+\.ts$/.test(file) || !/\w \w|\w=/.test(name),
  );

  expect(lines.length).toBeGreaterThan(25);
  expect(unnamed).toEqual([]);
});

test('every threat of the ambassador has a row, or stands among what is not protected', () => {
  const ambassador = readFileSync(new URL('proxy/README.md', root), 'utf8');
  const threats = [...ambassador.matchAll(/^\| (T[0-9]+) \|/gm)].map(([, threat = '']) => threat);
  const protectedFrom = lines.join('\n');

  const unmentioned = threats.filter(
    (threat) => !new RegExp(`\\b${threat}\\b`).test(protectedFrom),
  );

  expect(threats).toHaveLength(18);
  expect(unmentioned).toEqual([]);
});

describe('the test of', () => {
  test.each(
    rows.map(({ file, name, claim }) => [file, name, claim] as const),
  )('%s › %s', (file, name) => {
    expect(shareOfNameFound({ file, name })).toBeGreaterThanOrEqual(0.8);
  });
});
