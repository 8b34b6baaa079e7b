/**
 * What scripts of bash do to their processes and their output.
 *
 * @module-tag bash
 */
import { systemClock } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { type ProgramResult, runProgram } from '../../operator/process/run-program.ts';
import { pathOf } from '../tools/tools.ts';
import { marked, testFolder } from './support.ts';

const mark = marked();

async function runBash(script: string, input?: string): Promise<ProgramResult> {
  return await runProgram({
    program: pathOf('bash'),
    args: ['-c', script],
    cwd: await testFolder(),
    env: mark.env,
    ...(input !== undefined && { input }),
    clock: systemClock,
    signal: new AbortController().signal,
  });
}

test.each([
  ['a job of its own group', 'set -m; sleep 100 & echo done'],
  ['a job that it disowns', 'nohup sleep 100 >/dev/null 2>&1 & disown; echo done'],
  ['a daemon', '(setsid bash -c "sleep 100 & sleep 100" </dev/null >/dev/null 2>&1 &); echo done'],
  ['a coprocess', 'coproc sleep 100; echo done'],
])('[hooks 22] a process that bash leaves behind as %s is ended', async (_, script) => {
  const answer = await runBash(script);

  expect(answer).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  expect(await mark.alive()).toBe(0);
});

test.each([
  ['echo problem > /dev/stderr', { stdout: '', stderrEnd: 'problem\n' }],
  ['echo both | tee /dev/stderr', { stdout: 'both\n', stderrEnd: 'both\n' }],
  ['exec > >(sed s/a/b/); echo a', { stdout: 'b\n', stderrEnd: '' }],
  ['exec 2> >(tee log >&2); echo problem >&2', { stdout: '', stderrEnd: 'problem\n' }],
  ['cat < /dev/stdin; read -r none', { stdout: 'told', stderrEnd: '' }],
])('the output of `%s` arrives, and bash reads no login files', async (script, expected) => {
  expect(await runBash(script, 'told')).toMatchObject(expected);
});
