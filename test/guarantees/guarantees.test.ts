/** `docs/concepts/guarantees.md` promises nothing that no test holds, and no test holds what it does not promise. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testSources, titlesOf } from '../docs/test-titles.ts';
import {
  filesByTag,
  GUARANTEES,
  guaranteesIn,
  isScenario,
  isTagged,
  pageOf,
  readStatements,
  STATEMENTS,
} from './guarantees.ts';

const statements = readStatements();
const files = filesByTag();
const rows = guaranteesIn(statements, files);

/** The statements of the contract, by the letters that the page explains. */
const CONTRACT: Readonly<Record<string, readonly number[]>> = {
  P: range(1, 21),
  L: [...range(1, 17), ...range(20, 23), ...range(30, 35)],
  W: [
    ...range(1, 4),
    ...range(10, 17),
    20,
    21,
    ...range(25, 27),
    ...range(30, 36),
    ...range(40, 43),
  ],
  C: [...range(1, 6), ...range(10, 23)],
  Q: [...range(1, 5), ...range(20, 22), 24, 30, 31, 40],
  K: [
    ...range(1, 7),
    ...range(10, 14),
    ...range(20, 26),
    ...range(30, 49),
    ...range(50, 53),
    ...range(55, 66),
  ],
  M: range(1, 8),
  D: range(1, 5),
  LE: [...range(1, 15), 17],
  SH: range(1, 10),
  H: range(1, 5),
  X: range(1, 4),
  N: range(1, 9),
  A: range(1, 18),
  T: range(1, 8),
  F: range(1, 19),
  I: range(1, 9),
  DEV: range(1, 13),
  S: range(1, 6),
};

test('for every number in the contract there is exactly one row, and there are no other rows', () => {
  const tags = rows.map(({ tag }) => tag);
  const statements = Object.entries(CONTRACT).flatMap(([letters, numbers]) =>
    numbers.map((number) => `${letters}-${number}`),
  );

  const wrong = [
    ...statements
      .filter((tag) => !tags.includes(tag))
      .map((tag) => `${tag}: write its row into ${STATEMENTS}`),
    ...tags
      .filter((tag) => !isScenario(tag) && !statements.includes(tag))
      .map((tag) => `${tag}: no statement of the contract: take its row out of ${STATEMENTS}`),
    ...tags
      .filter((tag, at) => tags.indexOf(tag) !== at)
      .map((tag) => `${tag}: make one row of its rows in ${STATEMENTS}`),
  ];

  expect(wrong).toEqual([]);
});

test('each row has a tag and a guarantee, and the generated page adds the test files with the tag', () => {
  const text = `<!-- made -->\n\n# Page\n\n| tag | what a user may rely on |\n|---|---|\n| W-1 | Promised. |\n| H41 | Held. |\n`;
  const tagged = new Map([
    ['W-1', ['test/a.test.ts', 'test/b.test.ts']],
    ['H41', ['test/b.test.ts']],
  ]);

  expect(guaranteesIn(text, tagged)).toEqual([
    { tag: 'W-1', promise: 'Promised.', files: ['test/a.test.ts', 'test/b.test.ts'] },
    { tag: 'H41', promise: 'Held.', files: ['test/b.test.ts'] },
  ]);
  expect(pageOf(text, tagged).split('\n').slice(4)).toEqual([
    '| tag | what a user may rely on | tests in |',
    '|---|---|---|',
    '| W-1 | Promised. | `test/a.test.ts`, `test/b.test.ts` |',
    '| H41 | Held. | `test/b.test.ts` |',
    '',
  ]);
  for (const row of ['| W-2 | |', '| W-2 | Promised. | `test/a.test.ts` |', '|W-2 | Promised. |']) {
    expect(() => guaranteesIn(`${text}${row}`, tagged)).toThrow(`${STATEMENTS}: write `);
  }
});

test('guarantees.md is up to date with the statements and the tags in test titles', () => {
  const page = readFileSync(new URL(`../../${GUARANTEES}`, import.meta.url), 'utf8');

  expect(page, 'run "npm run generate -- guarantees", and commit the page').toBe(
    pageOf(statements, files),
  );
});

test('isTagged requires that the text between brackets is exactly the tag', () => {
  expect(isTagged('[L-2] [W-1] no request', { tag: 'W-1' })).toBe(true);
  expect(isTagged('[W-12] W-1 no request', { tag: 'W-1' })).toBe(false);
  expect(isTagged('[real W-1] no request', { tag: 'W-1' })).toBe(false);
  expect(isTagged('[W-13] [H41] a garbage line', { tag: 'H41' })).toBe(true);
  expect(isTagged('[H-41] H41 a garbage line', { tag: 'H41' })).toBe(false);
});

test('for each row there is a test title with its tag', () => {
  const missing = rows
    .filter((row) => row.files.length === 0)
    .map(
      ({ tag }) =>
        `${tag}: no title has [${tag}]: write it into the title of the test that shows the promise, or take the row out of ${STATEMENTS}`,
    );

  expect(missing).toEqual([]);
});

test('each tag in a test title has a row, and each file with such a title is a test file', () => {
  const wrong = [...files].flatMap(([tag, tagged]) => [
    ...(rows.some((row) => row.tag === tag)
      ? []
      : [
          `${tag}: ${tagged[0]} has [${tag}] in a title, and ${STATEMENTS} no such row: write one, or say of which other list it is, as in [real R-1]`,
        ]),
    ...tagged
      .filter((file) => !file.endsWith('.test.ts'))
      .map(
        (file) => `${tag}: ${file} is no file of vitest: tag a describe in a *.test.ts around it`,
      ),
  ]);

  expect(wrong).toEqual([]);
});

test('no test title begins with a tag without brackets', () => {
  const letters = Object.keys(CONTRACT).join('|');
  const bare = new RegExp(`^(?:\\[[^\\]]*\\] )*((?:${letters})-\\d+|H\\d\\d)(?![\\w-])`);

  const mentioning = testSources().filter((file) =>
    new RegExp(`\\b(?:${letters})-\\d|\\bH\\d\\d`).test(
      readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'),
    ),
  );
  const found = mentioning.flatMap((file) =>
    (titlesOf(file) ?? []).flatMap((title) => {
      const [, tag] = bare.exec(title) ?? [];
      return tag === undefined ? [] : [`${tag}: write [${tag}] in ${file}: ${title}`];
    }),
  );

  expect(bare.exec('[L-2] W-1: no request')?.[1]).toBe('W-1');
  expect(bare.exec('[L-2] H41 no request')?.[1]).toBe('H41');
  expect(found).toEqual([]);
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
