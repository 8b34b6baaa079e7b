/** Commands while they read: a signal ends them at once, and a time limit in any case. */
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Command, Io } from '../../operator/cli/command.ts';
import { dispatch } from '../../operator/cli/dispatch.ts';
import { chancery, folderWith, start } from './child.ts';

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
])('[found 5] SIGTERM ends chancery %s in the middle of a file', async (_, args) => {
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

test('[found 5] a file may have more documents than a call can have arguments', async () => {
  const folder = folderWith({ 'many.yaml': '--- 1\n'.repeat(150_000) });
  const child = chancery(['check', 'crd', join(folder, 'many.yaml'), '--against', folder]);

  expect(await child.exit).toBe(2);
  expect(child.stderr.lines).toEqual(['chancery check: NEW has no CustomResourceDefinition']);
}, 60_000);

/** Runs a command that does what `work` does, and tells the state of its time limit. */
async function limitOf(work: (io: Io) => void): Promise<readonly (boolean | undefined)[]> {
  const states: (boolean | undefined)[] = [];
  let limit: AbortSignal | undefined;
  const command: Command = {
    ...{ name: 'read', summary: '', help: '' },
    async run(_args, io) {
      states.push(limit?.aborted);
      work(io);
      states.push(limit?.aborted);
      return 0;
    },
  };
  const { stdin, stdout, stderr } = process;
  const { signal } = new AbortController();
  await dispatch([command], ['read'], {
    ...{ stdin, stdout, stderr, env: {}, signal, saveMemory() {}, exitWithParent() {} },
    exitWithin(_withinMs, _code, cancel) {
      limit = cancel;
    },
  });
  return [...states, limit?.aborted];
}

test('[found 5] the time limit ends with the command, or when the command asks for its signal', async () => {
  expect(await limitOf(() => {})).toEqual([false, false, true]);
  expect(await limitOf((io) => io.signal.throwIfAborted())).toEqual([false, true, true]);
});

test('[found 5] at the time limit a process whose thread is busy says why it ends', async () => {
  const module = fileURLToPath(new URL('../../operator/cli/process-end.ts', import.meta.url));
  const folder = folderWith({
    'busy.mjs': `import { exitWithin } from ${JSON.stringify(module)};
      exitWithin(1, 1, undefined, 'it took too long\\n');
      for (;;);\n`,
  });

  const child = start(process.execPath, [join(folder, 'busy.mjs')]);

  expect(await child.exit).toBe('SIGKILL');
  expect(child.stderr.lines).toEqual(['it took too long']);
});
