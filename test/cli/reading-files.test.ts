/** A time limit ends a command while it reads. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Command, Io } from '../../operator/cli/command.ts';
import { dispatch } from '../../operator/cli/dispatch.ts';
import { folderWith, start } from './child.ts';

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

test('[found 5] the time limit for reading files ends when the command ends or reads `io.signal`', async () => {
  expect(await limitOf(() => {})).toEqual([false, false, true]);
  expect(await limitOf((io) => io.signal.throwIfAborted())).toEqual([false, true, true]);
});

test('[found 5] if a process is still busy at the time limit, it prints the reason and ends', async () => {
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
