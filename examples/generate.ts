/** Writes the manifests and packages of the examples, or with `--check` shows what is not as it would be written. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PACKAGES, POLICIES, TREES } from './trees.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CLI = fileURLToPath(new URL('../operator/cli/main.ts', import.meta.url));

const flags = process.argv.slice(2);
if (flags.some((flag) => flag !== '--check')) {
  process.stderr.write('usage: npm run generate -- examples [--check]\n');
  process.exit(2);
}
const trees = Object.entries(TREES).map(
  ([name, words]) => [name, ['manifests', ...words]] as const,
);
for (const [name, words] of [...trees, ...Object.entries(POLICIES), ...Object.entries(PACKAGES)]) {
  process.stderr.write(`${name}: `);
  const { status } = spawnSync(process.execPath, [CLI, 'generate', ...flags, ...words], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = status ?? 1;
}
