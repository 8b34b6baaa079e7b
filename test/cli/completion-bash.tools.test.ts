/**
 * `chancery completion bash` in a real bash.
 *
 * @module-tag bash
 */
import { expect, test } from 'vitest';
import { folderFor, runShell, testsOf } from './completion-cases.ts';

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

async function complete(words: readonly string[]): Promise<readonly string[]> {
  // As readline does: an option and its value, joined by "=", are three words.
  const program = `
source ./script
COMP_WORDS=(chancery ${words.map(quoted).join(' ')})
COMP_CWORD=${words.length}
_chancery
printf '%s\\n' "\${COMPREPLY[@]}"
`;
  const printed = await runShell('bash', await folderFor('bash'), program);
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

testsOf(complete);

test('in bash, an option and its value may be joined by "="', async () => {
  expect(await complete(['lint', '--output', '=', 'j'])).toEqual(['json']);
  expect(await complete(['lint', '--output', '='])).toEqual(['json', 'text']);
});

test('the bash function completes the command chancery', async () => {
  const program = 'eval "$(cat script)"\ncomplete -p chancery\n';

  const printed = await runShell('bash', await folderFor('bash'), program);

  expect(printed).toContain('-F _chancery chancery');
});
