/** `chancery completion`: what the help of each command says is what is completed. Other files have the shells. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { describedCommand } from '../../operator/cli/completion/described-command.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { invoke } from './invocation.ts';

const cli = fileURLToPath(new URL('../../operator/cli/', import.meta.url));

/** Options that a command accepts without saying so: the opposite of one that it explains, and one for itself. */
const UNTOLD = new Set(['apiserver --workloads', 'dev --as-operator']);

/** Options whose value may be left out. */
const OPTIONAL_VALUE = new Set(['--inspect']);

/** The files of a command, with the table of options that it shares with others. */
function sourceOf(command: string): string {
  const text = textIn(command);
  return text.includes('DECLARING_FLAGS') ? `${text}\n${textIn('declarations')}` : text;
}

/** Where packages have the options of a command, from the folder `packages`. */
const IN_PACKAGES: Readonly<Record<string, string>> = {
  hooks: 'hooks/src/command',
  metacontroller: 'metacontroller/src/command',
  check: 'packaging/src/check',
  generate: 'packaging/src/catalog',
  plugin: 'packaging/src/plugin',
};

function textIn(folder: string): string {
  const inPackage = IN_PACKAGES[folder];
  const files = globSync([
    `${cli}${folder}/*.ts`,
    ...(inPackage === undefined ? [] : [`${cli}../../packages/${inPackage}/*.ts`]),
  ]);
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** The options in the table that a command gives to `parseFlags`. */
function acceptedBy(command: string): readonly string[] {
  const rows = sourceOf(command).matchAll(
    /^ {2}'?([a-z][a-z0-9-]*)'?: \{ type: '(?:string|boolean)'/gm,
  );
  // `create` has a table for each thing that it creates.
  return [...new Set([...rows].map(([, name]) => `--${name}`))].filter(
    (name) => !UNTOLD.has(`${command} ${name}`),
  );
}

describe('[M-6] the completion', () => {
  test.each(
    COMMANDS,
  )('of $name has every option that the command accepts, and no other', (command) => {
    const { options } = describedCommand(command);

    const told = options.map(({ long }) => long).filter((long) => long !== '--help');
    // One place takes it for all commands that work until they are stopped.
    const common = command.isLasting ? ['--exit-with-parent'] : [];
    expect(told.sort()).toEqual([...acceptedBy(command.name), ...common].sort());
  });

  test.each(COMMANDS)('of $name knows which options take a value', (command) => {
    const text = sourceOf(command.name);

    for (const { long, argument } of describedCommand(command).options) {
      const [, type] = new RegExp(`'?${long.slice(2)}'?: \\{ type: '(\\w+)'`).exec(text) ?? [];
      if (long === '--help') continue;
      const needsValue = type === 'string' && !OPTIONAL_VALUE.has(long);
      expect([long, argument !== undefined]).toEqual([long, needsValue]);
    }
  });

  test('has the words that an option or an argument takes', () => {
    const values = COMMANDS.map(describedCommand).flatMap(({ name, options, first }) => [
      ...options.map(({ long, words }) => [`${name} ${long}`, words] as const),
      [name, first.words] as const,
    ]);

    expect(Object.fromEntries(values.filter(([, words]) => words.length > 0))).toMatchObject({
      'apiserver --kubernetes-version': ['1.24', '1.30', '1.33', '1.36', '1.38'],
      'check --output': ['text', 'json'],
      'generate --format': ['args', 'patch', 'paths'],
      'generate --watch': ['own', 'all'],
      'init --template': ['custom-resource', 'built-in', 'composite'],
      'lint --output': ['text', 'json'],
      completion: ['bash', 'zsh', 'fish'],
      generate: ['rbac', 'crd', 'proxy', 'manifests', 'chart', 'bundle', 'catalog'],
      plugin: ['kubebuilder', 'install'],
    });
  });
});

test.each([
  [['tcsh'], 'expected bash, zsh or fish; got "tcsh"'],
  [['toString'], 'expected bash, zsh or fish; got "toString"'],
  [['bash', 'zsh'], 'expected bash, zsh or fish; got "bash zsh"'],
  [[], 'Usage: chancery completion bash|zsh|fish'],
])('completion %j ends with 2 and says what it expects', async (args, told) => {
  const { exit, stdout, stderr } = invoke(['completion', ...args]);

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines[0]).toContain(told);
});
