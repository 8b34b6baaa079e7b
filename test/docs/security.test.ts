/** `docs/security/security.md` claims nothing that no test shows. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isNamed, isThere, testsNamedIn } from './named-tests.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security/security.md', root), 'utf8');

/** Rows of both tables: | whom | what | `file` › test<br>`file` › test |. */
const lines = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:from whom|what) \|/.test(line));
const rows = lines.flatMap((line) => {
  const [claim = '', cell = ''] = [line, line.split(' | ').at(-1)?.replace(/ \|$/, '')];
  return testsNamedIn(cell).map((test) => ({ claim, ...test }));
});

test('every claim names a test, by its file and its title', () => {
  const unnamed = rows.filter(
    ({ file, title }) =>
      !/^(?:packages\/[a-z]+\/)?test\/.+\.ts$/.test(file) || !/\w \w|\w=/.test(title),
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

test('each test that is named is there, by its whole title', () => {
  const missing = rows
    .filter((row) => !isThere(row))
    .map(
      ({ claim, file, title }) =>
        `${file} has no "${title}": write the title as it stands there, with … for what a table fills in, into the row ${claim}`,
    );

  expect(missing).toEqual([]);
});

test('a title is named by all of its words, but its tags and what a table fills in', () => {
  expect(isNamed('[P-9] proxy 32: a DELETE is framed', 'proxy 32: a DELETE is framed')).toBe(true);
  expect(isNamed('run %s refuses with %i ($kind)', 'run … refuses with … (…)')).toBe(true);
  expect(isNamed('it is its owner’s alone, and nobody else’s', 'it is its owner’s alone…')).toBe(
    true,
  );
  expect(isNamed('proxy 38: after a crash', 'proxy 38')).toBe(false);
  expect(isNamed('proxy 38: after a crash', 'after a crash')).toBe(false);
  expect(isNamed('no token is handed out', 'no token handed out')).toBe(false);
});
