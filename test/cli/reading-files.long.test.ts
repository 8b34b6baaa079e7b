/** A signal ends every command while it reads, whatever the length of the file. */
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { chancery, folderWith } from './child.ts';

/** YAML that keeps the thread busy for seconds, because each line is one more error to find. */
const LONG = 'a: 1\n'.repeat(400_000);

test.each<[string, (file: string, folder: string) => readonly string[]]>([
  ['init', (file, folder) => ['init', join(folder, 'demo'), '--from-crd', file]],
  ['init --from', (_file, folder) => ['init', join(folder, 'demo'), '--from', folder]],
  ['check crd', (file) => ['check', 'crd', file, '--against', '/dev/null']],
  ['lint', (file) => ['lint', file]],
  ['apiserver', (file) => ['apiserver', '-f', file]],
  ['hooks', (file, folder) => ['hooks', folder, '--crd', file]],
  ['generate', (file, folder) => ['generate', 'rbac', '--hooks', folder, '--crd', file]],
  ['check', (file, folder) => ['check', '--hooks', folder, '--crd', file]],
  ['check --from-metacontroller', (file) => ['check', '--from-metacontroller', file]],
  ['test-hook', (file) => ['test-hook', 'hook.sh', '--context', file]],
  ['dev', (file, folder) => ['dev', join(folder, 'operator.ts'), '--samples', file]],
])('[found 5] SIGTERM ends chancery %s while it reads a file', async (_, args) => {
  const folder = folderWith({ 'operator.ts': 'export default [];\n' });
  const file = join(folder, 'PROJECT');
  execFileSync('mkfifo', [file]);
  const child = chancery(args(file, folder));
  const writing = createWriteStream(file); // a process opens a pipe when it reads it
  writing.end(LONG);
  await Promise.race([finished(writing), child.exit]);

  child.kill('SIGTERM');

  expect([await child.exit, ...child.stderr.lines]).toEqual(['SIGTERM']);
});

test('[found 5] a file may have more documents than a JavaScript call can have arguments', async () => {
  const folder = folderWith({ 'many.yaml': '--- 1\n'.repeat(150_000) });
  const child = chancery(['check', 'crd', join(folder, 'many.yaml'), '--against', folder]);

  expect(await child.exit).toBe(2);
  expect(child.stderr.lines).toEqual(['chancery check: NEW has no CustomResourceDefinition']);
}, 60_000);
