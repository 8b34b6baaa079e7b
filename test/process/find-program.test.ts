/** Why a program cannot be started, in words that say what to change. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executable, PATH, runScript, testFolder } from './support.ts';

test.each([
  ['no permission to execute', '#!/bin/sh\n', 0o644, 'it is not executable: use chmod +x'],
  ['no #! line', 'echo hello\n', 0o755, 'it has no #! line'],
  ['no content', '', 0o755, 'it has no #! line'],
  ['a #! line without an interpreter', '#! \n', 0o755, 'it has no #! line'],
  [
    'an interpreter that does not exist',
    '#!/opt/none/python\n',
    0o755,
    'its interpreter /opt/none/python does not exist',
  ],
  [
    'Windows line endings',
    '#!/bin/sh\r\necho hello\r\n',
    0o755,
    'its #! line ends with a carriage return',
  ],
  ['a byte order mark', '\ufeff#!/bin/sh\n', 0o755, 'a byte order mark stands before its #!'],
])('a file with %s cannot be started', async (_, text, mode, message) => {
  const program = await executable(join(await testFolder(), 'hook'), text, mode);

  await expect(runScript('', { program, args: [] })).rejects.toMatchObject({
    name: 'ProgramError',
    code: 'PROGRAM',
    reason: 'not-started',
    usage: undefined,
    message: expect.stringContaining(`${program} cannot be started: ${message}`),
    context: { reason: 'not-started', program },
  });
});

test.each([
  ['a space before its interpreter', '#! /bin/sh\necho hello'],
  ['an interpreter with an argument', '#!/bin/sh -e\necho hello'],
  ['an interpreter that is found on the PATH', '#!/usr/bin/env sh\necho hello'],
])('a script with %s can be started', async (_, text) => {
  const program = await executable(join(await testFolder(), 'hook'), text);

  const answer = await runScript('', { program, args: [] });

  expect(answer.stdout).toBe('hello\n');
});

test('a folder, a missing file and a missing working directory cause different errors', async () => {
  const folder = await testFolder();
  const messageFor = (options: object): Promise<string> =>
    runScript('', options).then(
      () => 'started',
      ({ message }: Error) => message,
    );

  expect(await messageFor({ program: folder })).toBe(`${folder} cannot be started: it is no file`);
  expect(await messageFor({ program: `${folder}/x` })).toBe(
    `${folder}/x cannot be started: it does not exist`,
  );
  expect(await messageFor({ cwd: `${folder}/y` })).toBe(
    `/bin/sh cannot be started: its working directory ${folder}/y does not exist`,
  );
});

test('the name of a program is looked up on the PATH that the program gets; a path is relative to its working directory', async () => {
  const folder = await testFolder();
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'first', 'tool'), { recursive: true }); // a folder of that name does not count
  await executable(join(folder, 'bin', 'tool'), '#!/bin/sh\necho mine');
  const path = `${join(folder, 'first')}:${join(folder, 'bin')}`;

  const byName = await runScript('', { program: 'tool', args: [], env: { PATH: path } });
  const byPath = await runScript('', { program: 'bin/tool', args: [], cwd: folder });
  const unknown = runScript('', { program: 'tool', args: [] });

  expect([byName.stdout, byPath.stdout]).toEqual(['mine\n', 'mine\n']);
  await expect(unknown).rejects.toThrow(
    `tool cannot be started: no folder of PATH (${PATH}) has it`,
  );
});

test('when the system refuses to start a program, the error contains the reason, and none of the arguments', async () => {
  await expect(runScript('', { args: ['secret'.repeat(100_000)] })).rejects.toMatchObject({
    message: '/bin/sh cannot be started: its arguments and its environment are too long',
    context: { code: 'E2BIG' },
  });
  const broken = runScript('', { args: ['secret\0'] });
  const error = await broken.catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: '/bin/sh cannot be started: an argument or a variable has a null character',
  });
  expect(error).not.toHaveProperty('cause'); // Node quotes the argument there
});
