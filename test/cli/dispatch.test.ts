import { expect, test } from 'vitest';
import type { Command } from '../../operator/cli/command.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import { invoke } from './invocation.ts';

const NAMES = COMMANDS.map(({ name }) => name).join(', ');

const commandThat = (run: Command['run']): readonly Command[] => [
  { name: 'act', summary: 'acts', help: 'Usage: chancery act\n', run },
];

test.each([
  [['help']],
  [['--help']],
  [['-h']],
])('the arguments %j print the list of commands', async (args) => {
  const { exit, stdout, stderr } = invoke(args);

  expect(await exit).toBe(0);
  expect(stdout.lines.join('\n')).toMatch(/Usage: chancery.*\n\s*run .*\n\s*watch /s);
  expect(stderr.lines).toEqual([]);
});

test.each([
  [['help', 'watch']],
  [['watch', '--help']],
  [['watch', 'cm', '-A', '-h']],
])('the arguments %j print the help of the command, with examples', async (args) => {
  const { exit, stdout } = invoke(args);

  expect(await exit).toBe(0);
  expect(stdout.lines[0]).toBe('Usage: chancery watch RESOURCE [NAME] [OPTION...]');
  expect(stdout.lines).toContain('Examples:');
});

test.each(COMMANDS)('the lines of the help of $name fit into 100 columns, except for examples', ({
  help,
}) => {
  const [shown = ''] = help.split('\nExamples:\n');

  expect(shown.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

test('without a command, the usage is printed on standard error, with exit code 2', async () => {
  const { exit, stdout, stderr } = invoke([]);

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines[0]).toBe('Usage: chancery COMMAND [ARGUMENT...]');
});

test.each([
  [['wach'], 'chancery: unknown command "wach"; did you mean watch?'],
  [['help', 'rum'], 'chancery: unknown command "rum"; did you mean run?'],
  [['frobnicate'], `chancery: unknown command "frobnicate"; known: ${NAMES}`],
])('the arguments %j are refused in one line, with exit code 2', async (args, line) => {
  const { exit, stderr } = invoke(args);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([line]);
});

test.each([
  [
    new ConfigurationError('not\n  like this', { context: { got: 'x' } }),
    2,
    'chancery act: not like this (got "x")',
  ],
  [
    new ApiError({ code: 500, reason: 'InternalError', message: 'no' }),
    1,
    'chancery act: 500 InternalError: no',
  ],
])('the error %o is printed in one line', async (error, code, line) => {
  const { exit, stderr } = invoke(['act'], { commands: commandThat(() => Promise.reject(error)) });

  expect(await exit).toBe(code);
  expect(stderr.lines).toEqual([line]);
});

test('`--help` after `--` is passed to the command, and does not print the help', async () => {
  const seen: string[] = [];
  const commands = commandThat(async (args) => {
    seen.push(...args);
    return 0;
  });

  const { exit } = invoke(['act', '--', '--help'], { commands });

  expect(await exit).toBe(0);
  expect(seen).toEqual(['--', '--help']);
});
