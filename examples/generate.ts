/** Writes the manifests and packages of the examples, or with `--check` shows what is not as it would be written. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { COMMANDS, dispatch } from '../operator/cli/dispatch.ts';
import { PACKAGES, POLICIES, TREES } from './trees.ts';

const flags = process.argv.slice(2);
if (flags.some((flag) => flag !== '--check')) {
  process.stderr.write('usage: npm run generate -- examples [--check]\n');
  process.exit(2);
}
process.chdir(fileURLToPath(new URL('../', import.meta.url)));
const { stdin, stdout, stderr, env } = process;
const { signal } = new AbortController();
const nothing = (): void => {};
const io = { exitWithin: nothing, saveMemory: nothing, exitWithParent: nothing };
const trees = Object.entries(TREES).map(
  ([name, words]) => [name, ['manifests', ...words]] as const,
);
for (const [name, words] of [...trees, ...Object.entries(POLICIES), ...Object.entries(PACKAGES)]) {
  stderr.write(`${name}: `);
  const args = ['generate', ...flags, ...words];
  const exitCode = await dispatch(COMMANDS, args, { stdin, stdout, stderr, env, signal, ...io });
  if (exitCode !== 0) process.exitCode = exitCode;
}
