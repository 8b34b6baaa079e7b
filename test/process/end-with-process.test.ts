import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { marked, runScript } from './support.ts';

const source = (path: string): string =>
  fileURLToPath(new URL(`../../operator/${path}`, import.meta.url));

test('[hooks S9] when the runner exits at once, its programs end with it', async () => {
  const run = marked();
  const program = `
import { systemClock } from '${source('core/clock.ts')}';
import { runProgram } from '${source('process/run-program.ts')}';
await runProgram({
  program: '/bin/sh',
  args: ['-c', 'trap "" TERM; echo up; sleep 60'],
  env: { PATH: process.env.PATH, MARK: process.env.MARK },
  onLine: () => process.exit(9),
  clock: systemClock,
  signal: new AbortController().signal,
});`;

  const { exitCode } = await runScript('', {
    ...{ program: process.execPath, args: ['--input-type=module', '-e', program] },
    env: run.env,
  });

  expect(exitCode).toBe(9);
  await eventually(async () => (await run.alive()) === 0);
});
