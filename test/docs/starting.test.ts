/** docs/starting.md: its commands are run, and it names every command. */
import { expect, test } from 'vitest';
import { OWNED_NAMES } from '../../operator/cli/create/owned-resources.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { commandsOf, RUN_OUTSIDE } from '../scaffold/support/readme-commands.ts';
import { guide, rowsOf } from './guide.ts';

/** What test/scaffold/outside.tools.test.ts does in another form: with an archive in place of the registry. */
const IN_ANOTHER_FORM = ['npm create chancery@latest demo', 'cd demo'];

test('every command of the guide is one that the test outside the repository runs', () => {
  const commands = commandsOf(guide('starting.md'));

  expect(commands.length).toBeGreaterThan(7);
  expect(
    commands.filter((each) => !RUN_OUTSIDE.includes(each) && !IN_ANOTHER_FORM.includes(each)),
  ).toEqual([]);
});

test('the chapter of commands has a row for each command', () => {
  const [, chapter = ''] = guide('starting.md').split('## All commands');
  const rows = rowsOf(chapter).map(([name = '']) => name.replaceAll('`', ''));

  expect(
    COMMANDS.map(({ name }) => `chancery ${name}`).filter((each) => !rows.includes(each)),
  ).toEqual([]);
});

test('the guide names every resource that --owns knows', () => {
  const text = guide('starting.md');

  expect(OWNED_NAMES.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
