/**
 * Pages whose rows are claims. A test that shows row 12 of `docs/security/security.md` has `[security 12]` in its
 * title, or in the title of a `describe` around it. Each page ends with a table of these tests.
 */
import { readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path/posix';
import { type MadePart, tableOf } from './made-part.ts';
import { testSources, textsOf, titlesOf } from './test-titles.ts';

export interface ClaimsPage {
  /** In docs/. */
  readonly page: string;
  /** The first word of its tags. */
  readonly list: string;
  /** What a row of this page begins with. */
  readonly row: RegExp;
}

/** Tag without brackets, such as `security 12` → file → how many titles of the file have it. */
export type TestsByTag = ReadonlyMap<string, ReadonlyMap<string, number>>;

export const CLAIMS_PAGES: readonly ClaimsPage[] = [
  { page: 'security/security.md', list: 'security', row: /^\| (\d+) \|/gm },
  { page: 'security/threat-model.md', list: 'security', row: /^\| (P\d+) \|/gm },
  { page: 'reference/metacontroller-contract.md', list: 'contract', row: /^\| (\d+) \|/gm },
];

const TAG = /\[((?:security|contract) [^\]]+)\]/g;
const root = new URL('../../', import.meta.url);
let known: TestsByTag | undefined;

/** The tables of tests at the ends of the pages. */
export const CLAIMS_PARTS: readonly MadePart[] = CLAIMS_PAGES.map((page) => ({
  page: page.page,
  of: 'tests',
  text: () => testsTable(page, tagsOfRows(page, readClaims(page)), testsByTag()),
}));

export function readClaims({ page }: ClaimsPage): string {
  return readFileSync(new URL(`docs/${page}`, root), 'utf8');
}

/** The tags of the rows of a page, in its order. */
export function tagsOfRows({ list, row }: ClaimsPage, text: string): readonly string[] {
  return [...text.matchAll(row)].map(([, name = '']) => `${list} ${name}`);
}

/** The tags of all tests; read once, because it takes seconds. */
export function testsByTag(): TestsByTag {
  known ??= readTests();
  return known;
}

/** Files without tests may have the cases of a test elsewhere: there every text counts. */
function readTests(): TestsByTag {
  const tests = new Map<string, ReadonlyMap<string, number>>();
  for (const file of testSources()) {
    if (readFileSync(new URL(file, root), 'utf8').search(TAG) === -1) continue; // a syntax tree costs more than a search
    const titles = titlesOf(file) ?? [];
    for (const [tag, count] of tagsIn(titles.length > 0 ? titles : (textsOf(file) ?? []))) {
      tests.set(tag, new Map([...(tests.get(tag) ?? []), [file, count]]));
    }
  }
  return tests;
}

/** How many of the titles have each tag. */
export function tagsIn(titles: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const title of titles) {
    const tags = [...title.matchAll(TAG)].map(([, tag = '']) => tag);
    for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return counts;
}

/** What is wrong between the rows of pages and the tags of tests; each text says what to do. */
export function mistakesIn(rows: readonly string[], tests: TestsByTag): readonly string[] {
  return [
    ...rows
      .filter((tag, at) => rows.indexOf(tag) !== at)
      .map((tag) => `two rows are ${tag}: give the newer one the next number`),
    ...rows
      .filter((tag) => !tests.has(tag))
      .map((tag) => `no title has [${tag}]: tag a test that shows the row, or take the row away`),
    ...[...tests]
      .filter(([tag]) => !rows.includes(tag))
      .map(([tag, files]) => `no row is ${tag}, which ${[...files.keys()].join(', ')} has`),
  ];
}

function testsTable({ page }: ClaimsPage, rows: readonly string[], tests: TestsByTag): string {
  const link = (file: string): string => `[${file}](${relative(dirname(`docs/${page}`), file)})`;
  const cell = (tag: string): string =>
    [...(tests.get(tag) ?? [])]
      .map(([file, count]) => (count === 1 ? link(file) : `${link(file)} (${count})`))
      .join(', ');
  return tableOf(
    ['tag', 'tests in'],
    rows.map((tag) => [`\`[${tag}]\``, cell(tag)]),
  );
}
