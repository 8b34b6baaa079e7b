/** Temporary folders are removed when the process exits, by every way to exit and with any content. */
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { RunFolders } from '../../operator/process/run-files.ts';
import { marked, runScript, testFolder } from './support.ts';

const source = (path: string): string =>
  fileURLToPath(new URL(`../../operator/${path}`, import.meta.url));

/** Runs a module that has `folders`, in a process that ends by itself. */
async function exitWith(tmpDir: string, work: string, env: Record<string, string> = {}) {
  const program = `
import { systemClock } from '${source('core/clock.ts')}';
import { RunFolders } from '${source('process/run-files.ts')}';
import { runProgram } from '${source('process/run-program.ts')}';
const folders = await RunFolders.open(${JSON.stringify(tmpDir)});
const signal = new AbortController().signal;
${work}`;
  const args = ['--input-type=module', '-e', program];
  return await runScript('', { program: process.execPath, args, env: { ...marked().env, ...env } });
}

test('[found 8] the folder of a process is removed when the process exits during a run', async () => {
  const tmpDir = await testFolder();

  const { exitCode } = await exitWith(
    tmpDir,
    "await (await folders.create()).write('context.json', '[]'); process.exit(3);",
  );

  expect(exitCode).toBe(3);
  expect(await readdir(tmpDir)).toEqual([]);
});

test('[found 8] if a process exits while endless work blocks its event loop, its folder is removed', async () => {
  const tmpDir = await testFolder();

  const { exitCode } = await exitWith(
    tmpDir,
    'setImmediate(() => { for (;;) if (performance.now() > 0) process.exit(4); });',
  );

  expect(exitCode).toBe(4);
  expect(await readdir(tmpDir)).toEqual([]);
});

test('[found 8] a program that is killed because the process ends leaves no file behind', async () => {
  const tmpDir = await testFolder();
  const run = marked();

  const { exitCode } = await exitWith(
    tmpDir,
    `const { path } = await folders.create();
await runProgram({
  program: '/bin/sh',
  args: ['-c', 'trap "" TERM; echo up; while :; do echo x > ' + path + '/left; done'],
  env: { PATH: process.env.PATH, MARK: process.env.MARK },
  tmpDir: path,
  onLine: () => process.exit(5),
  clock: systemClock,
  signal,
});`,
    run.env,
  );

  expect(exitCode).toBe(5);
  await eventually(async () => (await run.alive()) === 0);
  expect(await readdir(tmpDir)).toEqual([]);
});

// Root may enter every folder: as root this shows only that nothing else stays.
test('[found 8] if a program leaves behind a folder that nobody may access, this folder is removed, too', async () => {
  const tmpDir = await testFolder();
  const folders = await RunFolders.open(tmpDir);
  const folder = await folders.create();
  const closed = join(folder.path, 'outer', 'closed');
  await mkdir(join(closed, 'inner'), { recursive: true });
  await chmod(closed, 0o000);

  await folder[Symbol.asyncDispose]();
  await folders[Symbol.asyncDispose]();

  expect(await readdir(tmpDir)).toEqual([]);
});

test('[found 8] the input of a program is removed from the temporary folder when the process exits', async () => {
  const tmpDir = await testFolder();

  await exitWith(
    tmpDir,
    `setTimeout(() => process.exit(6), 0);
for (;;) {
  await runProgram({
    program: '/bin/sh', args: ['-c', 'cat > /dev/null'], env: { PATH: process.env.PATH },
    input: 'hunter2', tmpDir: ${JSON.stringify(tmpDir)}, clock: systemClock, signal,
  });
}`,
  );

  expect(await readdir(tmpDir)).toEqual([]);
});
