/** `docs/guarantees.md` promises nothing that no test holds, and no test holds what it does not promise. */
import { expect, test } from 'vitest';
import {
  GUARANTEES,
  guaranteesIn,
  isScenario,
  isTagged,
  readGuarantees,
} from './guarantees-page.ts';
import { testSources, titlesOf } from './test-titles.ts';

const rows = readGuarantees();
const titles = new Map(testSources().map((file) => [file, titlesOf(file) ?? []]));

/** The statements of the contract, by the letters that the page explains. */
const STATEMENTS: Readonly<Record<string, readonly number[]>> = {
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
    ...range(30, 32),
    ...range(40, 49),
    ...range(50, 53),
    ...range(55, 66),
  ],
  M: range(1, 8),
  D: range(1, 5),
  LE: [...range(1, 15), 17],
  H: range(1, 5),
  X: range(1, 4),
  N: range(1, 9),
  T: range(1, 8),
  F: range(1, 17),
  I: range(1, 9),
  DEV: range(1, 13),
  S: range(1, 6),
};

test('every statement of the contract has a row, and no tag has two', () => {
  const tags = rows.map(({ tag }) => tag);
  const statements = Object.entries(STATEMENTS).flatMap(([letters, numbers]) =>
    numbers.map((number) => `${letters}-${number}`),
  );

  const wrong = [
    ...statements
      .filter((tag) => !tags.includes(tag))
      .map((tag) => `${tag}: write its row into ${GUARANTEES}`),
    ...tags
      .filter((tag) => !isScenario(tag) && !statements.includes(tag))
      .map((tag) => `${tag}: no statement of the contract: take its row out of ${GUARANTEES}`),
    ...tags
      .filter((tag, at) => tags.indexOf(tag) !== at)
      .map((tag) => `${tag}: make one row of its rows in ${GUARANTEES}`),
  ];

  expect(wrong).toEqual([]);
});

test('a row that names no files is refused, and so is one that names titles', () => {
  const first = '| W-1 | Promised. | `test/a.test.ts`, `test/b.test.ts` |';

  expect(guaranteesIn(`# Page\n\n| tag | promise | tests in |\n|---|---|---|\n${first}\n`)).toEqual(
    [{ tag: 'W-1', promise: 'Promised.', files: ['test/a.test.ts', 'test/b.test.ts'] }],
  );
  for (const row of ['| W-2 | Promised. |  |', '| H41 | Promised. | `a.test.ts` › H41 a title |']) {
    expect(() => guaranteesIn(`${first}\n${row}`)).toThrow(`${GUARANTEES}: write `);
  }
});

test('a tag is the whole text between brackets', () => {
  expect(isTagged('[L-2] [W-1] no request', { tag: 'W-1' })).toBe(true);
  expect(isTagged('[W-12] W-1 no request', { tag: 'W-1' })).toBe(false);
  expect(isTagged('[real W-1] no request', { tag: 'W-1' })).toBe(false);
  expect(isTagged('[W-13] [H41] a garbage line', { tag: 'H41' })).toBe(true);
  expect(isTagged('[H-41] H41 a garbage line', { tag: 'H41' })).toBe(false);
});

test('in each file that a row names a test carries its tag', () => {
  const missing = rows.flatMap((row) =>
    row.files.flatMap((file) => {
      const written = titles.get(file);
      if (written === undefined) {
        return [
          `${row.tag}: there is no ${file}: name in ${GUARANTEES} the file that has its tests`,
        ];
      }
      if (!file.endsWith('.test.ts')) {
        return [
          `${row.tag}: ${file} is no file of vitest: tag a describe in a *.test.ts around it`,
        ];
      }
      if (written.some((title) => isTagged(title, row))) return [];
      return [
        `${row.tag}: no title in ${file} has [${row.tag}]: write it into the title of the test that shows the promise, or take the file out of the row in ${GUARANTEES}`,
      ];
    }),
  );

  expect(missing).toEqual([]);
});

test('each tag in a title has a row that names the file', () => {
  const unnamed = [...titles].flatMap(([file, written]) => {
    const tags = written.flatMap((title) =>
      [...title.matchAll(/\[([A-Z]+-\d+|H\d\d)\]/g)].map(([, tag = '']) => tag),
    );
    return [...new Set(tags)].flatMap((tag) => {
      const row = rows.find((each) => each.tag === tag);
      if (row === undefined) {
        return [
          `${tag}: ${file} has [${tag}] in a title, and ${GUARANTEES} no such row: write one, or say of which other list it is, as in [real R-1]`,
        ];
      }
      if (row.files.includes(file)) return [];
      return [
        `${tag}: ${file} has [${tag}] in a title: name the file in the row in ${GUARANTEES}, or take the tag out of the title`,
      ];
    });
  });

  expect(unnamed).toEqual([]);
});

test('no title begins with a tag without brackets', () => {
  const letters = Object.keys(STATEMENTS).join('|');
  const bare = new RegExp(`^(?:\\[[^\\]]*\\] )*((?:${letters})-\\d+|H\\d\\d)(?![\\w-])`);

  const found = [...titles].flatMap(([file, written]) =>
    written.flatMap((title) => {
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
