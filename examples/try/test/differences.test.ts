/**
 * What a README says about the original is held by a test: each row of `How it differs from the original` has
 * an id, which the title of a test begins with. The READMEs are where the ids are kept.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXAMPLES, folderOf } from '../examples.ts';
import { idsOf, isDefect, titlesByFile, titlesIn } from './test-titles.ts';

/** How many scenarios were to be gone through before an example counted as done; some bear a name. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  foo: numbered(6),
  blogpost: numbered(6),
  expose: [...numbered(5), 'C2'],
  tdset: numbered(6),
  database: [...numbered(6), 'DB'],
  mysql: numbered(5),
  tunnel: numbered(6),
  'node-reboot': numbered(6),
  prometheus: numbered(4),
  chaos: [],
  reloader: numbered(30),
  hooks: numbered(1),
  metacontroller: ['2', '5'],
};

interface Row {
  readonly id: string;
  /** The third cell begins with `the same` or `cannot occur`: there is nothing to test. */
  readonly untested: boolean;
  /** The last cell: `one.test.ts: FL1, acceptance 2; other.test.ts: how a title begins …`. */
  readonly tests: string;
}

describe.each(Object.keys(EXAMPLES))('examples/%s', (name) => {
  const rows = rowsOf(readFileSync(new URL('README.md', folderOf(name)), 'utf8'));
  const titles = titlesByFile(folderOf(name));
  const tested = new Set([...titles.values()].flat().flatMap(idsOf));
  const defects = rows.filter(({ id }) => isDefect(id));

  test('each row of the README refers to existing tests', () => {
    const missing = rows.flatMap(({ id, untested, tests }) => {
      if (untested) return [];
      const named = namedIn(tests);
      const isThere = named.every(({ file, what }) =>
        (titles.get(file) ?? []).some((title) => isAbout(title, what)),
      );
      const isOwn = !isDefect(id) || named.some(({ what }) => what === id);
      return isThere && isOwn && named.length > 0 ? [] : [`${id}: ${tests}`];
    });

    expect(missing).toEqual([]);
  });

  test('every defect with a test has a row in the README, and the rows are numbered without a gap', () => {
    const shown = defects.map(({ id }) => id);

    expect([...tested].filter((id) => isDefect(id) && !shown.includes(id))).toEqual([]);
    expect(shown.filter((id, at) => !isNext(id, shown[at - 1]))).toEqual([]);
  });

  test('each scenario of the example has a test', () => {
    const scenarios = (SCENARIOS[name] ?? []).map((each) => `acceptance ${each}`);

    expect([...tested].filter((id) => !isDefect(id)).sort()).toEqual(scenarios.sort());
  });
});

test('ids are read from the beginning of a title, before a colon', () => {
  expect(idsOf('EX1: a')).toEqual(['EX1']);
  expect(idsOf('acceptance 2, 3 and 5, C2-11: a: b')).toEqual([
    'acceptance 2',
    'acceptance 3',
    'acceptance 5',
    'C2-11',
  ]);
  expect(idsOf('VolumeSnapshots: one of each')).toEqual([]);
  expect(idsOf('EX1 without a colon')).toEqual([]);
});

test('the titles of `test` and of `test.each` are found', () => {
  const source = `test('EX1: a', () => {});
test.each([
  ['EX2: b'],
])("EX3: %s isn't", f);
test('[T-1] [attack A-1] EX4: c', () => {});
`;

  expect(titlesIn(source)).toEqual(['EX1: a', "EX3: %s isn't", 'EX4: c']);
});

test('a tag of the example becomes an id, and any other tag is ignored', () => {
  const source = `test('[example 7] [T-1] [example R3] d: e', () => {});
test('[other 8] f', () => {});
describe('[example 9] g', () => {});
test.each([
  [1],
] as const)('[example 10] %s', () => {});
`;

  expect(titlesIn(source, 'example')).toEqual([
    'acceptance 7, R3: d: e',
    'f',
    'acceptance 9: g',
    'acceptance 10: %s',
  ]);
  expect(idsOf('acceptance 7, R3: d: e')).toEqual(['acceptance 7', 'R3']);
});

function rowsOf(readme: string): readonly Row[] {
  const [, section = ''] = readme.split('## How it differs from the original\n');
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, id = '', , here = ''] = cells;
    const untested = /^(?:the same|cannot occur)/.test(here);
    return { id, untested, tests: cells.at(-2) ?? '' };
  });
}

interface Named {
  readonly file: string;
  /** An id, or how a title begins. */
  readonly what: string;
}

function namedIn(cell: string): readonly Named[] {
  return cell.split('; ').flatMap((part) => {
    const [, files = '', text = ''] = /^(.+?): (.+)$/.exec(part.replaceAll('`', '')) ?? [];
    const ids = idsOf(`${text}: `);
    const named = ids.length === 0 ? [text.replace(/ ?…$/, '')] : ids;
    return files.split(', ').flatMap((file) => named.map((what) => ({ file, what })));
  });
}

function isAbout(title: string, what: string): boolean {
  return idsOf(title).includes(what) || title.startsWith(`${what} `);
}

/** The same letters and the next number, or other letters and 1. */
function isNext(id: string, before: string | undefined): boolean {
  const [, letters, number] = /^(.+?)(\d+)$/.exec(id) ?? [];
  const [, lettersBefore, numberBefore] = /^(.+?)(\d+)$/.exec(before ?? '') ?? [];
  return Number(number) === (letters === lettersBefore ? Number(numberBefore) + 1 : 1);
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1));
}
