import { sleep } from 'chancery/internal';
import { expect, onTestFinished, test } from 'vitest';
import { text } from '../../src/faults/replies.ts';
import { ScriptedServer } from '../../src/faults/scripted-server.ts';
import { advanceUntil } from '../../src/faults/settle-sockets.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';
import { settle } from '../../src/time/settle.ts';

const { signal } = new AbortController();

test('[T-2] advanceUntil moves time from alarm to alarm, and only while nothing else happens', async () => {
  const clock = new FakeClock();
  const server = new ScriptedServer({ clock });
  await server.start();
  onTestFinished(() => server.close());
  server.on({}, text('fine'));
  let done = false;
  const work = async (): Promise<void> => {
    for (let n = 0; n < 3; n++) {
      await (await fetch(server.url)).text();
      await sleep(clock, 700, signal);
    }
    done = true;
  };

  const working = work();
  await advanceUntil(clock, () => done);
  await working;

  expect(server.requests.map(({ atMs }) => atMs)).toEqual([0, 700, 1_400]);
  expect(clock.monotonic()).toBe(2_100);
});

test('advanceUntil takes no time if the condition already holds, and throws if it never holds', async () => {
  const clock = new FakeClock();

  await advanceUntil(clock, () => true);
  const costs = clock.monotonic();
  const never = advanceUntil(clock, () => false, { withinMs: 5_000 });

  expect(costs).toBe(0);
  await expect(never).rejects.toMatchObject({
    code: 'USER_CODE',
    message: 'the condition did not hold within 5000 ms of the clock',
  });
  expect(clock.monotonic()).toBe(5_000);
});

test('while work takes many turns of the event loop, advanceUntil moves time by a few seconds, and not to a distant alarm', async () => {
  const clock = new FakeClock();
  onTestFinished(clock.schedule(60_000, () => {}));
  let done = false;
  const work = async (): Promise<void> => {
    for (let n = 0; n < 15; n++) await settle(); // three turns each
    done = true;
  };

  const working = work();
  await advanceUntil(clock, () => done);
  await working;

  expect(clock.monotonic()).toBeLessThanOrEqual(3_000);
});
