/** One program from its start to its end: what it is given, what it leaves, and its limits. */
import { getEventListeners } from 'node:events';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { marked, PATH, runScript, testFolder } from './support.ts';

test('a program gets exactly the given arguments, folder, input and environment, and no variables of the runner', async () => {
  const cwd = await realpath(await testFolder());

  const answer = await runScript('', {
    program: 'env',
    args: ['sh', '-c', 'pwd; echo "$1"; cat; env | sort', 'name', '$(id) ;ls'],
    cwd,
    env: { PATH, GREETING: 'a b' },
    input: 'asked\n',
  });

  const [folder, argument, input, ...environment] = answer.stdout.trim().split('\n');
  expect([folder, argument, input]).toEqual([cwd, '$(id) ;ls', 'asked']);
  // The shell itself adds where it is.
  const names = environment.map((line) => line.split('=')[0]).filter((name) => name !== '_');
  expect(names).toEqual(
    ['CHANCERY_RUN', 'GREETING', 'OLDPWD', 'PATH', 'PWD'].filter((name) => names.includes(name)),
  );
  expect(environment).toContain('GREETING=a b');
});

test.each([
  ['exit 7', 7],
  ['kill -TERM $$', 143],
  ['kill -KILL $$', 137],
])('the exit code of `%s` is %i, which is not an error', async (script, exitCode) => {
  const answer = await runScript(`echo out; echo err >&2; ${script}`);

  expect(answer).toMatchObject({ exitCode, stdout: 'out\n', stderrEnd: 'err\n', survivors: 0 });
});

test('a program can open standard input, output and error by their paths', async () => {
  const answer = await runScript('cat /dev/stdin > /dev/stdout; echo problem > /dev/stderr', {
    input: 'told',
  });

  expect(answer).toMatchObject({ exitCode: 0, stdout: 'told', stderrEnd: 'problem\n' });
});

test.each([
  ['a file', {}],
  ['a socket', { tmpDir: '/does/not/exist' }],
])('a program may end without reading its input, which comes from %s', async (_, options) => {
  const answer = await runScript('exit 0', { input: 'x'.repeat(1_000_000), ...options });

  expect(answer.exitCode).toBe(0);
});

test('without a folder for pipes a program still runs', async () => {
  const answer = await runScript('cat; echo b >&2', { input: 'a', tmpDir: '/does/not/exist' });

  expect(answer).toMatchObject({ exitCode: 0, stdout: 'a', stderrEnd: 'b\n' });
});

test('the resource usage of a program is known when it ends', async () => {
  const clock = new FakeClock();
  const cwd = await testFolder();
  const lines: string[] = [];
  const counting = 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; echo counted';

  const running = runScript(`${counting}; while [ ! -e go ]; do sleep 0.01; done`, {
    ...{ clock, cwd },
    onLine: (_, line) => lines.push(line),
  });
  await eventually(() => lines.includes('counted'));
  await clock.advance(20); // memory is measured while the program runs
  await runScript('touch go', { cwd });
  const answer = await running;

  expect(answer.userCpuSeconds + answer.systemCpuSeconds).toBeGreaterThanOrEqual(0.01);
  expect(answer.maxRssBytes).toBeGreaterThan(1_000);
  expect(answer.durationMs).toBe(20);

  const next = await runScript('');

  expect(next.userCpuSeconds).toBeLessThan(answer.userCpuSeconds);
});

test('a program that ends by itself leaves no timer and no listener behind', async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();

  await runScript('', { clock, signal });

  expect(clock.pending).toBe(0);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('lines arrive while the program runs, and the result does not contain them', async () => {
  const lines: string[] = [];
  const folder = await testFolder();
  const script = `echo one; echo two >&2; while [ ! -e go ]; do sleep 0.01; done; printf three`;

  const running = runScript(script, {
    cwd: folder,
    onLine: (stream, line) => lines.push(`${stream} ${line}`),
  });
  await eventually(() => lines.length === 2);
  const before = lines.toSorted();
  await runScript('touch go', { cwd: folder });
  const answer = await running;

  expect(before).toEqual(['stderr two', 'stdout one']);
  expect(lines.at(-1)).toBe('stdout three');
  expect(answer).toMatchObject({ stdout: '', stderrEnd: 'two\n' });
});

test('standard output can be kept while the lines of standard error arrive one by one', async () => {
  const lines: string[] = [];

  const answer = await runScript('echo one; echo two >&2; echo three', {
    keepsStdout: true,
    onLine: (stream, line) => lines.push(`${stream} ${line}`),
  });

  expect(answer.stdout).toBe('one\nthree\n');
  expect(lines).toEqual(['stderr two']);
});

test('[hooks S9] a hanging program gets a signal at its time limit, and has time to clean up', async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  // Without a child: one that had not begun yet would miss the signal, and hold the output open.
  const script = 'trap "echo cleaned; exit 0" TERM; echo ready; while :; do :; done';

  const run = runScript(script, { clock, timeoutMs: 3_000, onLine: (_, line) => lines.push(line) });
  const refused = expect(run).rejects.toMatchObject({
    code: 'PROGRAM',
    layer: 'user-code',
    reason: 'timeout',
    message: '/bin/sh was ended: it ran longer than 3 s',
    context: { reason: 'timeout', program: '/bin/sh', timeoutMs: 3_000 },
    usage: { durationMs: 3_000 },
  });
  await eventually(() => lines.includes('ready'));
  clock.advance(3_000);
  await refused;

  expect(lines).toEqual(['ready', 'cleaned']);
  expect(clock.pending).toBe(0);
});

test('[hooks 22] a hanging program that ignores signals is killed 5 s after its time limit', async () => {
  const clock = new FakeClock();
  const { env, alive } = marked();
  const lines: string[] = [];
  const script = 'trap "echo no" TERM; echo ready; while :; do sleep 100 & wait; done';

  const run = runScript(script, { clock, env, onLine: (_, line) => lines.push(line) });
  const refused = expect(run).rejects.toMatchObject({ reason: 'timeout' });
  await eventually(() => lines.includes('ready'));
  clock.advance(60_000); // the default
  await eventually(() => lines.includes('no'));
  const before = await alive();
  clock.advance(5_000);
  // Processes that were killed take a moment to be gone: the runner looks again by its clock.
  let hasEnded = false;
  void refused.finally(() => {
    hasEnded = true;
  });
  await eventually(() => {
    clock.advance(10);
    return hasEnded;
  });
  await refused;

  expect(before).toBeGreaterThan(0);
  expect(await alive()).toBe(0);
});

test('a time limit of 0 means no limit', async () => {
  const clock = new FakeClock();
  const folder = await testFolder();
  const script = 'touch began; while [ ! -e go ]; do sleep 0.01; done';

  const run = runScript(script, { clock, timeoutMs: 0, cwd: folder });
  await eventually(() => readFile(join(folder, 'began'), 'utf8').then(() => true));
  clock.advance(3_600_000);
  await runScript('touch go', { cwd: folder });

  expect((await run).exitCode).toBe(0);
});

test.each([
  ['kept in memory', undefined],
  ['delivered line by line', () => {}],
])('[hooks 22] if the output of a program is %s, the program is ended when it exceeds the output limit', async (_, onLine) => {
  const { env, alive } = marked();
  const run = runScript('yes 0123456789012345678901234567890123456789', {
    env,
    ...(onLine && { onLine }),
  });

  await expect(run).rejects.toMatchObject({
    reason: 'output-limit',
    message: '/bin/sh was ended: it wrote more than 10000000 bytes of output',
  });
  expect(await alive()).toBe(0);
});

test('the output limit covers both streams together', async () => {
  const write = 'printf 0123456789; printf 0123456789 >&2';

  const within = await runScript(write, { outputLimitBytes: 20 });
  const beyond = runScript(write, { outputLimitBytes: 19 });

  expect(within.stdout).toBe('0123456789');
  await expect(beyond).rejects.toMatchObject({ reason: 'output-limit' });
});

test('an abort ends the program, and the run rejects with the reason of the abort', async () => {
  const { env, alive } = marked();
  const stop = new AbortController();
  const lines: string[] = [];

  const run = runScript('echo ready; sleep 100', {
    env,
    signal: stop.signal,
    onLine: (_, line) => lines.push(line),
  });
  const refused = expect(run).rejects.toThrow('the operator stops');
  await eventually(() => lines.length === 1);
  stop.abort(new Error('the operator stops'));
  await refused;

  expect(await alive()).toBe(0);
});

test('an abort while a program starts also ends the run', async () => {
  const stop = new AbortController();

  const run = runScript('sleep 100', { signal: stop.signal });
  const refused = expect(run).rejects.toThrow('too early');
  stop.abort(new Error('too early'));

  await refused;
  await expect(runScript('echo', { signal: stop.signal })).rejects.toThrow('too early');
});

test('an error thrown by the line listener ends the program, and the run rejects with it', async () => {
  const { env, alive } = marked();
  const run = runScript('echo line; sleep 100', {
    env,
    onLine: () => {
      throw new Error('the log is full');
    },
  });

  await expect(run).rejects.toThrow('the log is full');
  expect(await alive()).toBe(0);
});
