import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { marked, runScript } from './support.ts';

const source = (path: string): string =>
  fileURLToPath(new URL(`../../operator/${path}`, import.meta.url));

/** A runner that starts one script, and does `onLine` when the script has written. */
function runnerOf(script: string, onLine: string): string {
  return `
import { systemClock } from '${source('core/clock.ts')}';
import { runProgram } from '${source('process/run-program.ts')}';
await runProgram({
  program: '/bin/sh',
  args: ['-c', ${JSON.stringify(script)}],
  env: { PATH: process.env.PATH, MARK: process.env.MARK },
  onLine: () => ${onLine},
  clock: systemClock,
  signal: new AbortController().signal,
});`;
}

test.each([
  ['exits at once', 'process.exit(9)', 9],
  ['gets SIGKILL', "process.kill(process.pid, 'SIGKILL')", 137],
])('[hooks S9] [found 13] when the runner %s, its programs end, too', async (_, onLine, code) => {
  const run = marked();
  const program = runnerOf('trap "" TERM HUP; sleep 60 & echo up; sleep 60', onLine);

  const { exitCode } = await runScript('', {
    ...{ program: process.execPath, args: ['--input-type=module', '-e', program] },
    env: run.env,
  });

  expect(exitCode).toBe(code);
  await eventually(async () => (await run.alive()) === 0);
});

test.runIf(process.platform === 'linux')(
  "[found 13] after SIGKILL of the runner a process that left its program's group is ended, too",
  async () => {
    const run = marked();
    const flee = 'setsid sh -c "echo up; sleep 60; :" & sleep 60';
    const program = runnerOf(flee, "process.kill(process.pid, 'SIGKILL')");
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: run.env,
      stdio: 'ignore',
    });

    await once(child, 'exit');

    await eventually(async () => (await run.alive()) === 0);
  },
);

test("[found 13] when the guard's input ends, the guard ends the running programs, and no other processes", async () => {
  const guard = spawn('/bin/sh', [source('process/program-guard.sh')], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const [over, running] = [sleeper(), sleeper()];

  guard.stdin.write(`+ ${over.pid} first\n+ ${running.pid} second\n- ${over.pid} first\n`);
  guard.stdin.end();
  await Promise.all([once(guard, 'exit'), once(running, 'exit')]);

  expect(running.signalCode).toBe('SIGKILL');
  expect([over.exitCode, over.signalCode]).toEqual([null, null]);
});

/** A program that leads a process group. */
function sleeper(): ChildProcess {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
