/**
 * `chancery completion fish` in a real fish.
 *
 * @module-tag fish
 */
import { folderFor, runShell, testsOf } from './completion-cases.ts';

const quoted = (word: string): string =>
  word === '' ? '' : word.replaceAll(/[ '"\\]/g, (sign) => `\\${sign}`);

async function complete(words: readonly string[]): Promise<readonly string[]> {
  const line = ['chancery', ...words.map(quoted)].join(' ');
  const program = `source ./script\ncomplete -C '${line.replaceAll(/['\\]/g, (sign) => `\\${sign}`)}'\n`;
  const printed = await runShell('fish', await folderFor('fish'), program);
  const offered = printed.split('\n').filter((row) => row !== '');
  return offered.map((row) => row.split('\t', 1)[0] ?? '').sort();
}

testsOf(complete);
