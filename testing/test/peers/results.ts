import { readFileSync, writeFileSync } from 'node:fs';
import type { Suite } from './suite.ts';
import { SUITES } from './suites.ts';

/** What one run of a suite came to. */
export interface Result {
  readonly suite: string;
  readonly commit: string;
  /** The program that spoke to the server, and its version. */
  readonly with: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

const FILE = new URL('results.json', import.meta.url);
const PAGE = new URL('../../../docs/peers.md', import.meta.url);
const BEGIN = '<!-- The tables of the results, written by npm run peers -- --record. -->\n';
const END = '<!-- The end of what npm run peers -- --record writes. -->\n';

/** The results that are committed: each comes from a run. */
export function recordedResults(): readonly Result[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly Result[];
}

/**
 * Puts results in the place of earlier ones of the same suite and program, and writes the page anew.
 *
 * @param parts - results of some tests of a suite: only these are replaced, in a result of the same commit.
 */
export function record(whole: readonly Result[], parts: readonly Result[] = []): void {
  const isOf = (one: Result, other: Result): boolean =>
    one.suite === other.suite && one.with === other.with;
  const before = recordedResults();
  const merged = parts.flatMap((part) =>
    before
      .filter((old) => isOf(part, old) && part.commit === old.commit)
      .map((old) => join(old, part)),
  );
  const results = [...whole, ...merged];
  const kept = before.filter((old) => !results.some((one) => isOf(one, old)));
  const all = [...kept, ...results].toSorted((a, b) =>
    `${a.suite} ${a.with}` < `${b.suite} ${b.with}` ? -1 : 1,
  );
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(PAGE, madePage(readPage(), all));
}

/** @returns `old` with the tests of `part` as they are there. */
export function join(old: Result, part: Result): Result {
  const again = new Set([...part.passed, ...part.failed]);
  const others = (names: readonly string[]): readonly string[] =>
    names.filter((name) => !again.has(name));
  return {
    ...old,
    passed: [...others(old.passed), ...part.passed],
    failed: [...others(old.failed), ...part.failed],
  };
}

export function readPage(): string {
  return readFileSync(PAGE, 'utf8');
}

/** The page with the results in it. */
export function madePage(page: string, results: readonly Result[]): string {
  const [before = '', rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`docs/peers.md has not both marks: ${BEGIN}${END}`);
  const counted = results.map(withoutOutside);
  const chapters = SUITES.map((suite) => chapter(suite, counted));
  return `${before}${BEGIN}\n${table(counted)}\n${chapters.join('')}${END}${after}`;
}

/** A test that was left out after it had been recorded is not counted any more. */
function withoutOutside(result: Result): Result {
  const outside = SUITES.find(({ name }) => name === result.suite)?.outside ?? {};
  const counted = (names: readonly string[]): readonly string[] =>
    names.filter((name) => !Object.hasOwn(outside, name));
  return { ...result, passed: counted(result.passed), failed: counted(result.failed) };
}

function table(results: readonly Result[]): string {
  const rows = SUITES.flatMap((suite) => {
    const own = results.filter((result) => result.suite === suite.name);
    const left = Object.keys(suite.outside).length;
    if (own.length === 0) return [`| \`${suite.name}\` | ${suite.title} | not run | | | |`];
    return own.map(
      ({ with: program, passed, failed }) =>
        `| \`${suite.name}\` | ${suite.title} | ${program} | ${passed.length} | ${failed.length} | ${left} |`,
    );
  });
  return `| suite | tests | with | passed | failed | left out |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

function chapter(suite: Suite, results: readonly Result[]): string {
  const own = results.filter(({ suite: name }) => name === suite.name);
  const commits = [...new Set(own.map(({ commit }) => commit))];
  const obtained = [
    `    git clone ${suite.repository} DIR/${suite.folder}`,
    ...commits.map((commit) => `    git -C DIR/${suite.folder} checkout ${commit}`),
    ...(suite.prepare === undefined ? [] : [`    cd DIR/${suite.folder} && ${suite.prepare}`]),
  ];
  const parts = [`### ${suite.name}\n`, `${obtained.join('\n')}\n`];
  if (own.length === 0)
    parts.push(`Not run${suite.notRun === undefined ? '' : `: ${suite.notRun}`}.\n`);
  if (suite.elsewhere !== undefined) parts.push(`${suite.elsewhere}\n`);
  for (const { with: program, passed, failed } of own) {
    const whole = passed.length + failed.length;
    parts.push(`${program}: ${passed.length} of ${whole} pass.\n`);
    if (failed.length > 0) {
      parts.push(`${rows(failed.map((name) => [name, suite.failing[name] ?? 'not explained']))}\n`);
    }
  }
  const left = Object.entries(suite.outside);
  if (left.length > 0) parts.push(`Left out:\n\n${rows(left)}\n`);
  return `${parts.join('\n')}\n`;
}

function rows(pairs: readonly (readonly string[])[]): string {
  return ['| test | why |', '|---|---|', ...pairs.map(([a, b]) => `| \`${a}\` | ${b} |`)].join(
    '\n',
  );
}
