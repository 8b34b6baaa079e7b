/** `chancery completion`: the table of each command says what is completed. Other files have the shells. */
import { describe, expect, test } from 'vitest';
import { optionsOf } from '../../operator/cli/command-table.ts';
import { describedCommand } from '../../operator/cli/completion/described-command.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { isOther } from '../../operator/cli/flags.ts';
import { invoke } from './invocation.ts';

const TABLES = COMMANDS.map(({ table }) => table);

describe('[M-6] the completion of shells', () => {
  test.each(
    TABLES,
  )('the completion of $name offers every option of its table, and no other', (table) => {
    const { options } = describedCommand(table);

    const shown = Object.entries(optionsOf(table)).filter(([, { hidden }]) => hidden !== true);
    expect(options.map(({ long }) => long)).toEqual([
      ...shown.map(([name]) => `--${name}`),
      '--help',
    ]);
  });

  test.each(TABLES)('the completion of $name offers every choice and every subcommand', (table) => {
    const { options, first } = describedCommand(table);
    const wordsOf = (name: string): readonly string[] =>
      options.find(({ long }) => long === `--${name}`)?.words ?? [];

    for (const [name, { choices = [] }] of Object.entries(table.options)) {
      expect(wordsOf(name)).toEqual(expect.arrayContaining([...choices]));
    }
    const kinds = Object.keys(table.kinds ?? {}).filter((kind) => !isOther(kind));
    expect(first.words).toEqual(expect.arrayContaining(kinds));
  });

  test('the completion offers the possible values of an option or an argument', () => {
    const values = TABLES.map(describedCommand).flatMap(({ name, options, first }) => [
      ...options.map(({ long, words }) => [`${name} ${long}`, words] as const),
      [name, first.words] as const,
    ]);

    expect(Object.fromEntries(values.filter(([, words]) => words.length > 0))).toMatchObject({
      'apiserver --kubernetes-version': ['1.24', '1.30', '1.33', '1.35', '1.36', '1.37', '1.38'],
      'check --output': ['text', 'json'],
      'generate --format': ['args', 'patch', 'paths'],
      'generate --watch': ['own', 'all'],
      'init --template': ['custom-resource', 'built-in', 'composite'],
      'lint --output': ['text', 'json'],
      check: ['bundle', 'crd'],
      completion: ['bash', 'zsh', 'fish'],
      create: ['api', 'hook'],
      generate: ['rbac', 'crd', 'proxy', 'policies', 'manifests', 'chart', 'bundle', 'catalog'],
      plugin: ['kubebuilder', 'install'],
    });
  });
});

test.each([
  [['tcsh'], 'expected bash, zsh or fish; got "tcsh"'],
  [['toString'], 'expected bash, zsh or fish; got "toString"'],
  [['bash', 'zsh'], 'expected bash, zsh or fish; got "bash zsh"'],
  [[], 'Usage: chancery completion bash|zsh|fish'],
])('`completion` with the arguments %j exits with 2 and lists the shells that exist', async (args, told) => {
  const { exit, stdout, stderr } = invoke(['completion', ...args]);

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines[0]).toContain(told);
});
