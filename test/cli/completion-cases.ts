/** The completions that every shell must offer, and a function that asks a shell for them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { describedCommand } from '../../operator/cli/completion/described-command.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { pathOf } from '../tools/tools.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** The words that the shell offers for the last of `words`, sorted; in a folder with two files and a folder. */
export type Complete = (words: readonly string[]) => Promise<readonly string[]>;

const CASES: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['gen'], ['generate']],
  [
    ['generate', ''],
    ['bundle', 'catalog', 'chart', 'crd', 'manifests', 'policies', 'proxy', 'rbac'],
  ],
  [
    ['generate', 'proxy', 'my operator.ts', '--format', ''],
    ['args', 'patch', 'paths'],
  ],
  [['generate', 'rbac', '--watch', 'o'], ['own']],
  [['generate', 'manifests', '--name', ''], []],
  [['generate', 'crd', '--output', 'my'], ['my operator.ts']],
  [['generate', 'crd', '-o', 'my'], ['my operator.ts']],
  [['lint', '--out'], ['--output']],
  [
    ['lint', '--output', ''],
    ['json', 'text'],
  ],
  [['check', '-o', 'j'], ['json']],
  [
    ['apiserver', '--kubernetes-version', '1.3'],
    ['1.30', '1.33', '1.35', '1.36', '1.37', '1.38'],
  ],
  [['watch', 'configmaps', '--on'], ['--once']],
  [['watch', ''], []],
  [['run', 'my'], ['my operator.ts']],
  [['run', 'other.ts', 'my'], ['my operator.ts']],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
  [['help', 'wat'], ['watch']],
];

/** The script that `chancery completion SHELL` prints. */
export async function scriptFor(shell: Shell): Promise<string> {
  const { exit, stdout } = invoke(['completion', shell]);
  expect(await exit).toBe(0);
  return `${stdout.lines.join('\n')}\n`;
}

/** A folder with the script of `shell` as `script`, and the files that `CASES` complete. */
export async function folderFor(shell: Shell): Promise<string> {
  const folder = folderWith({
    script: await scriptFor(shell),
    'my operator.ts': '',
    'other.ts': '',
  });
  mkdirSync(join(folder, 'manifests'));
  return folder;
}

/** What a program of the shell prints; its folder is where paths are completed. */
export async function runShell(shell: Shell, folder: string, program: string): Promise<string> {
  writeFileSync(join(folder, 'program'), program);
  const args =
    shell === 'bash'
      ? ['--norc', 'program']
      : shell === 'zsh'
        ? ['-f', 'program']
        : ['--no-config', 'program'];
  const path = pathOf(shell);
  const child = spawn(path, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'dumb', SHELL_UNDER_TEST: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  expect(errors).toBe('');
  return out;
}

/** Declares the tests of one shell. */
export function testsOf(complete: Complete): void {
  test.each(CASES)('%j is completed to %j', { timeout: 60_000 }, async (words, offered) => {
    expect(await complete(words)).toEqual(offered);
  });

  test('the shell offers every command', { timeout: 60_000 }, async () => {
    const offered = await complete(['']);

    expect(offered).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)));
  });

  test.each(
    COMMANDS.map(({ table }) => describedCommand(table)),
  )('every option of $name is offered', {
    timeout: 60_000,
  }, async ({ name, options }) => {
    const offered = await complete([name, '--']);

    expect(offered).toEqual(options.map(({ long }) => long).sort());
  });
}
