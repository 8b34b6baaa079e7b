/**
 * How many files and lines each mechanism for children and statuses has, at a commit and now:
 * `npm run measure -- lines [--before COMMIT]`. `mechanisms.ts` has the lists.
 *
 * A file that is in no list is an error, so that nothing is left out. That holds for the folders of the mechanisms, and for
 * files of `packages/metacontroller` that it did not have at the commit.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { optionsOrExit } from '../scripts/options.ts';
import { COUNTED, ELSEWHERE, MECHANISMS, placeOf, sorted } from './mechanisms.ts';

const USAGE = `usage: npm run measure -- lines [--before COMMIT]

  --before COMMIT  The commit to compare with; its files are in the lists of test/measure/mechanisms.ts. Default 7663498c.
`;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NOW = 'packages/metacontroller/src/';
const BEFORE = 'operator/metacontroller/';

const { before: commit = '7663498c' } = optionsOrExit(USAGE, { before: { type: 'string' } });

function git(...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', words, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`git ${words.join(' ')}: ${stderr.trim()}`);
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

/** Files of the package that are new in it, and are not known as parts of something else. */
function movedTo(now: readonly string[], before: readonly string[]): readonly string[] {
  const known = new Set(before.map((file) => file.replace(BEFORE, NOW)));
  return now.filter(
    (file) => file.startsWith(NOW) && !known.has(file) && placeOf(file, ELSEWHERE) === undefined,
  );
}

function main(): void {
  const isSource = (file: string): boolean => file.endsWith('.ts');
  const all = {
    before: git('ls-tree', '-r', '--name-only', commit).split('\n').filter(isSource),
    now: git('ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate')
      .split('\n')
      .filter((file) => isSource(file) && existsSync(join(ROOT, file))),
  };
  const counted = (side: 'before' | 'now'): readonly string[] =>
    all[side].filter((file) => placeOf(file, COUNTED[side]) !== undefined);
  const lists = (side: 'before' | 'now') =>
    MECHANISMS.map((mechanism) => ({ name: mechanism.name, places: mechanism[side] }));
  const named = new Set(MECHANISMS.flatMap(({ now }) => now));
  const listed = all.now.filter((file) => named.has(file));
  const now = new Set([...counted('now'), ...movedTo(all.now, all.before), ...listed]);
  const files = {
    before: sorted(counted('before'), lists('before')),
    now: sorted([...now], lists('now')),
  };
  const text = {
    before: (file: string) => git('show', `${commit}:${file}`),
    now: (file: string) => readFileSync(join(ROOT, file), 'utf8'),
  };
  const rows = MECHANISMS.map(({ name }) => {
    const [was = [], is = []] = [files.before.get(name), files.now.get(name)];
    const sum = (of: readonly string[], read: (file: string) => string): number =>
      of.reduce((lines, file) => lines + linesIn(read(file)), 0);
    return [name, was.length, sum(was, text.before), is.length, sum(is, text.now)] as const;
  });
  const total = (at: 1 | 2 | 3 | 4): number => rows.reduce((sum, row) => sum + row[at], 0);
  const printed = [...rows, ['together', total(1), total(2), total(3), total(4)] as const];
  process.stdout.write(`| mechanism | files at ${commit} | lines | files now | lines | share |\n`);
  process.stdout.write('|---|---|---|---|---|---|\n');
  for (const [name, wasFiles, was, isFiles, is] of printed) {
    const share = `${Math.round((is / was) * 100)} %`;
    process.stdout.write(`| ${[name, wasFiles, was, isFiles, is, share].join(' | ')} |\n`);
  }
}

try {
  main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
