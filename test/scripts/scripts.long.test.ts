import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageJson, root } from '../docs/readme.ts';
import { GROUPS } from './scripts.ts';

const MAIN = 'test/scripts/main.ts';

function run(...words: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
    cwd: root,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

test('each group of scripts has an npm script of the same name, and each npm script that starts the launcher is a group', () => {
  const launched = Object.entries(packageJson.scripts).filter(([, line]) => line.includes(MAIN));

  expect(launched.map(([name, line]) => [name, line]).sort()).toEqual(
    Object.keys(GROUPS)
      .map((name) => [name, `node ${MAIN} ${name}`])
      .sort(),
  );
});

test.each(Object.entries(GROUPS))('every file that %s starts exists', (_name, { scripts }) => {
  const files = Object.values(scripts).flatMap(({ commands }) =>
    commands.map((command) => command.find((word) => !word.startsWith('-'))),
  );

  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => file === undefined || !existsSync(join(root, file)))).toEqual([]);
});

test('npm run prove without the name of a script lists the scripts and their descriptions, and exits with 2', () => {
  const { code, stdout, stderr } = run('prove');

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^usage: npm run prove -- NAME \[ARGUMENT\.\.\.\]\n/);
  for (const [name, { says }] of Object.entries(GROUPS.prove?.scripts ?? {})) {
    expect(stderr).toMatch(new RegExp(`^  ${name} +`, 'm'));
    expect(stderr).toContain(says);
  }
});

test.each(Object.entries(GROUPS))('npm run %s -- --help lists the scripts on stdout', (group, {
  scripts,
}) => {
  for (const word of ['--help', '-h']) {
    const { code, stdout, stderr } = run(group, word);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of Object.keys(scripts))
      expect(stdout).toMatch(new RegExp(`^  ${name} +`, 'm'));
  }
});

test('an unknown group or script is refused with the list of the known ones', () => {
  const unknown = run('check', 'toString');
  const group = run('nothing');

  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toMatch(/^npm run check: nothing is named toString\n\nusage: /);
  expect(unknown.stderr).toMatch(/Without NAME: types, lint, architecture\.\n$/);
  expect(group).toMatchObject({ code: 2, stdout: '' });
  expect(group.stderr).toContain('nothing is named nothing; there are: check, measure, ');
});

test('arguments are passed to the named script, or to each default script until one fails', () => {
  const named = run('generate', 'examples', '--no-such-option');
  const usual = run('generate', '--no-such-option');

  expect(named).toMatchObject({ code: 2, stdout: '' });
  expect(named.stderr).toMatch(/^usage: npm run generate -- examples /);
  expect(usual).toEqual(named);
});

test.each(
  Object.keys(GROUPS.prove?.scripts ?? {}),
)('`prove %s` refuses an unknown option, and prints its usage', (name) => {
  const { code, stdout, stderr } = run('prove', name, '--no-such-option');

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('--no-such-option');
  expect(stderr).toContain(`npm run prove -- ${name}`);
  expect(stderr).not.toContain('    at ');
});
