/** AGENTS.md and CONTRIBUTING.md: each command, script, workspace and path that they name exists. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GROUPS } from '../scripts/scripts.ts';
import { packageJson, root } from './readme.ts';

const PAGES = ['AGENTS.md', 'CONTRIBUTING.md'] as const;
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Commands of npm, and what they do with the words after the first. */
const NPM: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  ci: (words) => words.length === 0,
  test: ([option, argument, ...more]) => {
    if (option === undefined) return true;
    if (option === '--') return argument === undefined || isFound(argument);
    if (option !== '-w' || argument === undefined || more.length > 0) return false;
    const manifest = join(root, argument, 'package.json');
    return existsSync(manifest) && 'test' in JSON.parse(readFileSync(manifest, 'utf8')).scripts;
  },
  run: ([script = '', dashes, name]) => {
    if (!(script in packageJson.scripts)) return false;
    const group = GROUPS[script];
    if (group === undefined || dashes === undefined) return true;
    return dashes === '--' && (name === '--help' || (name !== undefined && name in group.scripts));
  },
};

/** A word in capitals stands for something. */
function isFound(path: string): boolean {
  return /^[A-Z_]+$/.test(path) || existsSync(join(root, path));
}

function npmCommandsOf(text: string): readonly string[] {
  const indented = text.split('\n').filter((line) => line.startsWith('    '));
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...indented.map((line) => line.replace(/ #.*/, '')), ...inline]
    .map((line) => line.trim())
    .filter((line) => line.startsWith('npm '));
}

test.each(PAGES)('every npm command in %s exists', (page) => {
  const commands = npmCommandsOf(textOf(page));

  expect(commands.length).toBeGreaterThan(7);
  const unknown = commands.filter((line) => {
    const [, command = '', ...words] = line.split(' ');
    return NPM[command]?.(words) !== true;
  });
  expect(unknown).toEqual([]);
});

test.each([
  'npm tset',
  'npm run no-such-script',
  'npm run check -- no-such-name',
  'npm test -- test/no-such-folder',
  'npm test -w packages/no-such-package',
])('the check refuses the command %s, which does not exist', (line) => {
  const [, command = '', ...words] = line.split(' ');

  expect(NPM[command]?.(words)).not.toBe(true);
});

test('every path in AGENTS.md exists', () => {
  const paths = [...textOf('AGENTS.md').matchAll(/`([^`\n ]*\/[^`\n ]*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !/^[<@]/.test(path));

  expect(paths.length).toBeGreaterThan(7);
  expect(paths.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
});

test('AGENTS.md has fewer than 50 lines', () => {
  expect(textOf('AGENTS.md').split('\n').length).toBeLessThan(50);
});
