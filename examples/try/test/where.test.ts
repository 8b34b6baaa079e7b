/** A README says where each thing is to be seen: the file is there, and has what is named in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { folderOf } from '../examples.ts';

const names = readdirSync(folderOf('.')).filter((name) =>
  existsSync(new URL('README.md', folderOf(name))),
);

test.each(
  names,
)('each name in the README of examples/%s exists at the place that the README gives', (name) => {
  const folder = folderOf(name);
  const readme = readFileSync(new URL('README.md', folder), 'utf8');
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('test/'),
  );

  const missing = whereIn(readme).flatMap((cell) => {
    const linked = [...cell.matchAll(/\]\(([^)]+\.ts)\)/g)].map(([, file = '']) => file);
    const code = (linked.length > 0 ? linked : all)
      .map((file) => readFileSync(new URL(file, folder), 'utf8'))
      .join('\n');
    const words = wordsIn(cell);
    return words.filter((word) => !code.includes(word)).map((word) => `${word}: ${cell}`);
  });

  expect(missing).toEqual([]);
});

test('names are taken from the code in the second column of the README, without arguments of calls and without settings', () => {
  const cells = whereIn('| what | where |\n|---|---|\n| a | `now` |\n| b | c |\n\n| d | `e` |\n');

  expect(cells).toEqual(['`now`', 'c']);
  expect(wordsIn('`clock.now()`, `source(x, …)`, `AN_ENV=true`, [a](a.ts)')).toEqual([
    'now',
    'source',
  ]);
});

/** The second column of the table `what | where`. */
function whereIn(readme: string): readonly string[] {
  const [, table = ''] = readme.split('| what | where |\n|---|---|\n');
  const [rows = ''] = table.split('\n\n', 1);
  return rows.split('\n').flatMap((row) => row.split('|').at(2)?.trim() ?? []);
}

function wordsIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => {
    const [path = ''] = /^[\w.]+/.exec(code) ?? [];
    const word = path.split('.').at(-1) ?? '';
    return /[a-z]/.test(word) ? [word] : [];
  });
}
