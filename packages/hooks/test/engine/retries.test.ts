/** What happens to a task that fails, and to what waits behind it. */
import { settle } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../../../../operator/model/status.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { retryDelayMs } from '../../src/queue/retry-delay.ts';
import { HookError } from '../../src/run/hook-error.ts';
import { EngineWorld, hook, watches } from './support/engine-world.ts';

const events = (changes = {}) => watches({ name: 'x', runsOnSynchronization: false, ...changes });

test('[hooks 6] a task that fails twice is retried after 5 s and 6 s, before later tasks of its queue', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { kubernetes: [events()] }), hook('b', { kubernetes: [events()] })],
    random: () => 0.987,
  });
  world.endings.set('a', ['fails', 'fails', 'fails']);
  await world.start();
  const startMs = world.clock.monotonic();

  world.watch('a', 'x').put('n', 1);
  await settle();
  world.watch('b', 'x').put('m', 2);
  world.watch('a', 'x').put('n', 3);
  await world.clock.advanceAndSettle(60_000);

  expect(world.log).toEqual([
    ...Array.from({ length: 4 }, () => 'a Event(x Added 1)'),
    'b Event(x Added 2)',
    'a Event(x Modified 3)',
  ]);
  const times = world.attempts.map(({ atMs }) => atMs - startMs);
  expect(times).toEqual([0, 5_000, 11_900, 19_800, 19_800, 19_800]);
});

test('[hooks 6] delays grow from 5 s to 32 s, and are multiples of a tenth of a second', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (failures, random) => {
        const delayMs = retryDelayMs(failures, () => random);

        expect(delayMs % 100).toBe(0);
        expect(delayMs).toBeGreaterThanOrEqual(failures === 1 ? 5_000 : 6_000);
        expect(delayMs).toBeLessThanOrEqual(32_000);
        expect(delayMs).toBeLessThanOrEqual(retryDelayMs(failures + 1, () => random));
      },
    ),
    propertyRuns(),
  );
  const withoutChance = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => retryDelayMs(failures, () => 0));
  expect(withoutChance).toEqual([5, 6, 7, 9, 13, 21, 32, 32].map((seconds) => seconds * 1_000));
});

test('a retried run contains newer snapshots, the same event, and no later event', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { kubernetes: [events({ includeSnapshotsFrom: ['x'] })] })],
  });
  world.endings.set('a', ['fails']);
  await world.start();

  world.watch('a', 'x').put('n', 'old');
  await settle();
  world.watch('a', 'x').put('n', 'new');
  await world.clock.advanceAndSettle(5_000);

  expect(world.log).toEqual([
    'a Event(x Added old {"x":[{"object":"old"}]})',
    'a Event(x Added old {"x":[{"object":"new"}]})',
    'a Event(x Modified new {"x":[{"object":"new"}]})',
  ]);
});

test('[hooks 7] a failure that the binding allows is counted, and the next task starts at once', async () => {
  const world = new EngineWorld({
    hooks: [
      hook('a', { kubernetes: [events({ allowFailure: true })] }),
      hook('b', { kubernetes: [events()] }),
    ],
  });
  world.endings.set('a', ['lasts']);
  await world.start();

  world.watch('a', 'x').put('n', 1);
  world.watch('b', 'x').put('m', 2);
  await settle();
  world.attempts[0]?.fail();
  await settle();

  expect(world.log).toEqual(['a Event(x Added 1)', 'b Event(x Added 2)']);
  const of = { hook: 'a', binding: 'x', queue: 'main' };
  expect(world.meter.value('shell_operator_hook_run_allowed_errors_total', of)).toBe(1);
  expect(world.meter.value('shell_operator_hook_run_errors_total', of)).toBe(0);
});

test('[hooks S2] a blocked queue appears on the status page, and is logged once', async () => {
  const world = new EngineWorld({ hooks: [hook('a', { kubernetes: [events()] })] });
  const refused = new ApiError({ message: 'secret', reason: 'Conflict', code: 409 });
  const error = new HookError('patch', 'document 3', {
    cause: refused,
    context: { hook: 'a', document: 3 },
  });
  world.endings.set('a', ['lasts', 'lasts', 'lasts', 'lasts']);
  await world.start();
  world.watch('a', 'x').put('n', 1);
  await settle();

  for (const seconds of [0, 5, 6]) {
    await world.clock.advanceAndSettle(seconds * 1_000);
    world.attempts.at(-1)?.fail(error);
    await settle();
  }
  await world.clock.advanceAndSettle(2_000);

  const labels = { hook: 'a', queue: 'main' };
  expect(world.meter.value('shell_operator_hook_blocked_seconds', labels)).toBe(13);
  const [queue] = world.engine.status().queues;
  expect(queue).toMatchObject({ hook: 'a', failures: 3, blockedSeconds: 13 });
  const lastError =
    'HookError USER_CODE patch document=3: ApiError API_STATUS reason=Conflict status=409';
  expect(world.engine.status().hooks[0]).toMatchObject({ runs: 3, errors: 3, lastError });
  expect(world.troubles.map(({ reason }) => reason)).toEqual([
    'HookFailed',
    'HookFailed',
    'HookBlocked',
    'HookFailed',
  ]);
  expect(JSON.stringify(world.troubles)).not.toContain('secret');
  await world.clock.advanceAndSettle(5_000);
  world.attempts.at(-1)?.succeed();
  await settle();
  expect(world.meter.value('shell_operator_hook_blocked_seconds', labels)).toBe(0);
  expect(world.engine.status().queues[0]).toMatchObject({ failures: 0, blockedSeconds: 0 });
  expect(world.engine.status().hooks[0]?.lastError).toBeUndefined();
  expect(world.clock.pending).toBe(1);
});

test('[hooks S2] after the maximum number of attempts, a task is recorded and dropped, and the queue continues', async () => {
  const world = new EngineWorld({
    hooks: [hook('a', { kubernetes: [watches({ name: 'x' })] })],
    maxAttempts: 2,
  });
  world.endings.set('a', ['fails', 'fails']);

  await world.start();
  world.watch('a', 'x').put('n', 1);
  await world.clock.advanceAndSettle(5_000);

  world.watch('a', 'x').put('n', 2);
  await settle();
  expect(world.log).toEqual([
    'a Synchronization(x [])',
    'a Synchronization(x [{"object":1}])',
    'a Event(x Modified 2)',
  ]);
  const { givenUp } = world.engine.status();
  expect(givenUp).toMatchObject([{ hook: 'a', binding: 'x', attempts: 2, error: 'Error' }]);
  expect(world.troubles.at(-1)?.reason).toBe('HookGivenUp');
});

test('a retry that only writes patches reads no objects, and does not include a later event', async () => {
  const world = new EngineWorld({ hooks: [hook('a', { kubernetes: [watches({ name: 'x' })] })] });
  world.endings.set('a', ['fails', 'resumes']);

  await world.start();
  world.watch('a', 'x').put('n', 1);
  await world.clock.advanceAndSettle(5_000);

  expect(world.log).toEqual(['a Synchronization(x [])', 'a', 'a Event(x Added 1)']);
});
