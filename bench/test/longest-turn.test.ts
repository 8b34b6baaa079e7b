import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { LongestTurn } from '../subjects/longest-turn.ts';

/** Its first look is behind it: timers that are due earlier come first. */
async function started(turns: LongestTurn): Promise<void> {
  turns.start();
  await eventually(() => true);
}

function work(cpuMs: number): void {
  const begin = process.threadCpuUsage().user;
  while (process.threadCpuUsage().user - begin < cpuMs * 1e3);
}

test('all CPU time of one turn of the event loop counts, and the measurement restarts at zero', async () => {
  const turns = new LongestTurn();
  onTestFinished(() => turns.stop());

  await started(turns);
  work(30);
  await yieldToEventLoop();
  const long = turns.ms;
  await started(turns);
  const short = turns.ms;

  expect(long).toBeGreaterThanOrEqual(30);
  expect(short).toBeLessThan(30);
});

test('time in which the thread sleeps does not count', async () => {
  const turns = new LongestTurn();
  onTestFinished(() => turns.stop());
  const asleep = new Int32Array(new SharedArrayBuffer(4));

  await started(turns);
  Atomics.wait(asleep, 0, 0, 100);
  await yieldToEventLoop();

  expect(turns.ms).toBeLessThan(50);
});
