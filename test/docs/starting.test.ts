/** docs/start/first-operator.md: its commands are run, and it names every command. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OWNED_NAMES } from '../../operator/cli/create/owned-resources.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { BIN, folderWith, start } from '../cli/child.ts';
import { FLEET, kubebuilderProject, projectOf } from '../scaffold/support/kubebuilder-project.ts';
import { newProject, textsBelow } from '../scaffold/support/project.ts';
import { commandsOf, RUN_OUTSIDE } from '../scaffold/support/readme-commands.ts';
import { COMMANDS_PART } from './commands-page.ts';
import { guide } from './guide.ts';
import { madePage, readPage } from './made-part.ts';

/** What test/scaffold/outside.tools.test.ts does in another form: with an archive in place of the registry. */
const IN_ANOTHER_FORM = ['npm create chancery@latest demo', 'cd demo'];

/** The commands about kinds that exist, which a test below runs. */
const fromExisting = commandsOf(guide('start/first-operator.md')).filter((each) =>
  / --from/.test(each),
);

/** Run with the sources in the place of the newest package. */
const upgrades = commandsOf(guide('start/first-operator.md')).filter((each) =>
  / upgrade\b/.test(each),
);

test('every command in first-operator.md is run by a test', () => {
  const commands = commandsOf(guide('start/first-operator.md'));

  const run = [...RUN_OUTSIDE, ...IN_ANOTHER_FORM, ...fromExisting, ...upgrades];
  expect(commands.length).toBeGreaterThan(9);
  expect(commands.filter((each) => !run.includes(each))).toEqual([]);
});

test('the commands in first-operator.md for existing kinds create projects with these kinds', async () => {
  const go = kubebuilderProject(projectOf(FLEET));
  const parent = folderWith({});
  mkdirSync(join(parent, 'here'));
  symlinkSync(go, join(parent, 'shop-go'));

  const exits = fromExisting.map((command) => {
    const [npx, name, ...args] = command.split(' ');
    expect([npx, name]).toEqual(['npx', 'chancery']);
    return start(process.execPath, [BIN, ...args], {}, join(parent, 'here')).exit;
  });

  expect(await Promise.all(exits)).toEqual([0, 0]);
  for (const project of ['shop', 'fleet']) {
    const module = readFileSync(join(parent, 'here', project, 'src/operator.ts'), 'utf8');
    expect(module).toContain("from './captain.ts'");
  }
});

test('the upgrade commands in first-operator.md leave a new project unchanged', async () => {
  const { folder } = await newProject('demo');
  const before = textsBelow(folder);
  const git = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'all'],
  ]) {
    execFileSync('git', [...git, ...args], { cwd: folder });
  }

  const runs = upgrades.map((command) => {
    const [npx, name, ...args] = command.split(' ');
    expect([npx, name]).toEqual(['npx', 'chancery@latest']);
    return start(process.execPath, [BIN, ...args], {}, folder).exit;
  });

  expect(await Promise.all(runs)).toEqual([0, 0]);
  const after = Object.entries(textsBelow(folder)).filter(([path]) => !path.startsWith('.git/'));
  expect(Object.fromEntries(after)).toEqual(before);
});

test('the chapter about commands matches the code; `npm run generate -- api` writes it', () => {
  expect(readPage(COMMANDS_PART)).toBe(madePage(COMMANDS_PART));
});

test('the chapter about commands has every command with all options that are not hidden', () => {
  const chapters = readPage(COMMANDS_PART)
    .split(/^## chancery /m)
    .slice(1);

  expect(chapters.map((text) => text.split('\n')[0])).toEqual(COMMANDS.map(({ name }) => name));
  for (const [at, { table }] of COMMANDS.entries()) {
    const named = Object.keys(table.options).filter((name) =>
      new RegExp(`--${name}[ \`[]`).test(chapters[at] ?? ''),
    );
    const shown = Object.entries(table.options).filter(([, { hidden }]) => hidden !== true);
    expect(named).toEqual(shown.map(([name]) => name));
  }
});

test('first-operator.md lists every resource that `--owns` accepts', () => {
  const text = guide('start/first-operator.md');

  expect(OWNED_NAMES.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
