import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folderState } from '../../src/command/folder-state.ts';

test('the runner does not open a named pipe in the folder of hooks', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-state-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  const before = await folderState(dir);

  await writeFile(join(dir, 'a.sh'), '');

  expect(await folderState(dir)).not.toBe(before);
});
