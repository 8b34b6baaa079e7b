/** What a user may rely on: each statement of `statements.md`, with the files whose tests have its tag. */
import { readFileSync } from 'node:fs';
import { testSources, titlesIn } from '../docs/test-titles.ts';

export const GUARANTEES = 'docs/concepts/guarantees.md';
export const STATEMENTS = 'test/guarantees/statements.md';

export interface Guarantee {
  /** `W-20`, or the number of a scenario: `H41`. */
  readonly tag: string;
  readonly promise: string;
  /** From the root of the repository. */
  readonly files: readonly string[];
}

/** Tag → the files in which a title has it. */
export type FilesByTag = ReadonlyMap<string, readonly string[]>;

const TAG = /\[([A-Z]+-\d+|H\d\d|child \d+)\]/g;
const ROW = /^\| *(?:[A-Z]+-\d+|H\d\d|child \d+)\b/;
const HEAD = '| tag | what a user may rely on |\n|---|---|\n';
const PAGE_HEAD = '| tag | what a user may rely on | tests in |\n|---|---|---|\n';
const MADE = `<!-- npm run generate -- guarantees makes this page from ${STATEMENTS} and the tags in the tests. -->`;

const root = new URL('../../', import.meta.url);

export function readGuarantees(): readonly Guarantee[] {
  return guaranteesIn(readStatements(), filesByTag());
}

export function readStatements(): string {
  return readFileSync(new URL(STATEMENTS, root), 'utf8');
}

/** The tags in the titles of all tests. */
export function filesByTag(): FilesByTag {
  const files = new Map<string, string[]>();
  for (const file of testSources()) {
    const source = readFileSync(new URL(file, root), 'utf8');
    if (source.search(TAG) === -1) continue; // a syntax tree costs more than a search
    const tags = titlesIn(source).flatMap((title) =>
      [...title.matchAll(TAG)].map(([, tag = '']) => tag),
    );
    for (const tag of new Set(tags)) files.set(tag, [...(files.get(tag) ?? []), file]);
  }
  return files;
}

/** Each row of `statements`: | tag | promise |. */
export function guaranteesIn(statements: string, files: FilesByTag): readonly Guarantee[] {
  return statements
    .split('\n')
    .filter((line) => ROW.test(line))
    .map((line) => {
      const [, tag, promise] = /^\| ((?:child )?\S+) \| ([^|]+) \|$/.exec(line) ?? [];
      if (tag === undefined || promise === undefined) {
        throw new Error(`${STATEMENTS}: write "| tag | promise |": ${line}`);
      }
      return { tag, promise, files: files.get(tag) ?? [] };
    });
}

/** The page: the statements, each with its files. */
export function pageOf(statements: string, files: FilesByTag): string {
  const rows = new Map(guaranteesIn(statements, files).map((row) => [row.tag, row]));
  const text = statements.replace(/^<!-- .* -->\n/, `${MADE}\n`).replaceAll(HEAD, PAGE_HEAD);
  const lines = text.split('\n').map((line) => {
    if (!ROW.test(line)) return line;
    const [, tag = ''] = line.split(/^\| | \| /);
    return `${line} ${(rows.get(tag)?.files ?? []).map((file) => `\`${file}\``).join(', ')} |`;
  });
  return lines.join('\n');
}

/** Whether a title, with those of its `describe`s or without, has exactly `[TAG]`. */
export function isTagged(title: string, { tag }: Pick<Guarantee, 'tag'>): boolean {
  return title.includes(`[${tag}]`);
}

/** Whether a row is a failure scenario, or a kind of child or status: the list of statements has the others. */
export function isScenario(tag: string): boolean {
  return /^(?:H\d\d|child \d+)$/.test(tag);
}
