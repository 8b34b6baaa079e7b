/** The files of a run: fresh, read back with care, and gone afterwards. */
import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { RunFolders } from '../../operator/process/run-files.ts';
import { runScript, testFolder } from './support.ts';

async function folders(tmpDir?: string): Promise<RunFolders> {
  const opened = await RunFolders.open(tmpDir ?? (await testFolder()));
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

const modeOf = async (path: string): Promise<string> =>
  ((await stat(path)).mode & 0o777).toString(8);

test('each run has its own folder, which other users can read, and which is removed after the run', async () => {
  const tmpDir = join(await testFolder(), 'not', 'there');
  const before = process.umask(0o027);
  onTestFinished(() => {
    process.umask(before);
  });
  const all = await folders(tmpDir);
  const [one, other] = [await all.create(), await all.create()];
  const path = await one.write('context.json', '[]\n');

  expect(one.path).not.toBe(other.path);
  expect([await modeOf(one.path), await modeOf(path)]).toEqual(['700', '644']);
  expect(await readFile(path, 'utf8')).toBe('[]\n');

  await writeFile(join(one.path, 'left by the hook'), '');
  await one[Symbol.asyncDispose]();
  await all[Symbol.asyncDispose]();

  expect(await readdir(tmpDir)).toEqual([]);
});

test('a file that the program writes is read afterwards, and a file that it removes counts as empty', async () => {
  await using folder = await (await folders()).create();
  const path = await folder.write('patches', '');
  await writeFile(path, '\ufeff{"name": "é"}\n');
  await folder.write('metrics', '');
  await rm(join(folder.path, 'metrics'));

  expect(await folder.read('patches')).toBe('{"name": "é"}\n');
  expect(await folder.read('metrics')).toBe('');
});

test.each([
  ['a pipe', (path: string) => runScript(`mkfifo ${path}`), 'something else than a regular file'],
  ['a folder', (path: string) => mkdir(path), 'something else than a regular file'],
  [
    'a link to another file',
    (path: string) => symlink('/etc/hostname', path),
    'it must be a regular file',
  ],
  [
    'a dangling link',
    (path: string) => symlink('/does/not/exist', path),
    'it must be a regular file',
  ],
  [
    'a file that is not UTF-8',
    (path: string) => writeFile(path, Buffer.of(0x7b, 0xff)),
    'no UTF-8 text',
  ],
  [
    'a file of more than 10 MB',
    async (path: string) => {
      await writeFile(path, '');
      await truncate(path, 10_000_001);
    },
    'more than 10000000 bytes',
  ],
])('[hooks 22] %s is refused at once as a result file', async (_, leave, message) => {
  await using folder = await (await folders()).create();
  await leave(join(folder.path, 'result'));

  await expect(folder.read('result')).rejects.toMatchObject({
    name: 'ResultFileError',
    code: 'PROGRAM',
    layer: 'user-code',
    message: expect.stringContaining(message),
    context: { file: 'result' },
  });
});

test('at startup, only the folders of processes that have ended are removed', async () => {
  const tmpDir = await testFolder();
  const living = await folders(tmpDir);
  await living.create();
  const [mine = ''] = await readdir(tmpDir);
  const [, pid, startedAt] = mine.split('-');
  const left = [
    'runner-4194400-17-abcdef', // above the largest number of a process
    `runner-${pid}-${Number(startedAt) - 1}-abcdef`, // a process that had the same number before
  ];
  const others = ['runner-notes', 'data'];
  for (const name of [...left, ...others])
    await mkdir(join(tmpDir, name, 'deep'), { recursive: true });

  await folders(tmpDir);
  const names = await readdir(tmpDir);

  expect(names).toHaveLength(4);
  expect(names).toEqual(expect.arrayContaining([mine, ...others]));
});

test('missing folders are created; if that is impossible, the error is thrown at once', async () => {
  const deep = join(await testFolder(), 'a', 'b', 'c');

  await using folders = await RunFolders.open(deep);

  expect(await readdir(deep)).toHaveLength(1);
  await expect(RunFolders.open('/proc/self/a/b')).rejects.toMatchObject({ code: 'CONFIG' });
  await folders[Symbol.asyncDispose]();
});

test('an unusable folder causes a configuration error', async () => {
  const file = join(await testFolder(), 'file');
  await writeFile(file, '');

  await expect(RunFolders.open(join(file, 'x'))).rejects.toMatchObject({
    code: 'CONFIG',
    message: `no files can be made in ${join(file, 'x')}: make it writable, or name another folder`,
  });
});
