import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { LOW_PRIORITY, WorkQueue } from '../../operator/queue/work-queue.ts';

function newQueue(): { clock: FakeClock; queue: WorkQueue<string> } {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue<string>({ clock, backoff: { jitter: 0 } }) };
}

async function takeAll(queue: WorkQueue<string>): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) keys.push((await queue.take()) ?? '');
  return keys;
}

test('[Q-20] a live change overtakes ten thousand keys of a first list', async () => {
  const { queue } = newQueue();
  for (let index = 0; index < 10_000; index++) queue.add(`${index}`, { priority: LOW_PRIORITY });
  await queue.take();

  queue.add('9999');

  expect(await queue.take()).toBe('9999');
  expect(await queue.take()).toBe('1');
});

test('[Q-20] a retry keeps the priority that the key was taken with', async () => {
  const { clock, queue } = newQueue();
  queue.add('low', { priority: LOW_PRIORITY });
  await queue.take();
  queue.retry('low');
  queue.done('low');
  queue.add('other', { priority: -1 });

  clock.advance(5);

  expect(await takeAll(queue)).toEqual(['other', 'low']);
  expect(queue.processingPriority('low')).toBe(LOW_PRIORITY);
});

test('[Q-20] a live change raises the priority of a key that waits for its retry, and the next retry keeps this priority', async () => {
  const { clock, queue } = newQueue();
  queue.add('a', { priority: LOW_PRIORITY });
  await queue.take();
  queue.retry('a');
  queue.done('a');

  queue.add('a');
  await queue.take();
  const raised = queue.processingPriority('a');
  queue.retry('a');
  queue.done('a');
  clock.advance(1_000);
  await queue.take();

  expect([raised, queue.processingPriority('a')]).toEqual([0, 0]);
});

test('[Q-20] a change while the key is held raises the priority of its retry', async () => {
  const { queue } = newQueue();
  queue.add('a', { priority: LOW_PRIORITY });
  await queue.take();

  queue.add('a');
  queue.retry('a');
  queue.done('a');
  await queue.take();

  expect(queue.processingPriority('a')).toBe(0);
});

test('[Q-20] a retry can have a different priority than the key had before', async () => {
  const { clock, queue } = newQueue();
  queue.add('a');
  await queue.take();

  queue.retry('a', 0, { priority: 3 });
  queue.done('a');
  clock.advance(5);
  await queue.take();

  expect(queue.processingPriority('a')).toBe(3);
});

test.each([
  ['add, add', 0, -100, 0],
  ['add, add', -100, 0, 0],
  ['add, add', -100, -100, -100],
])('[Q-21] a key keeps the higher of two priorities (%s) %i and %i: %i', async (_case, one, two, kept) => {
  const { queue } = newQueue();

  queue.add('a', { priority: one });
  queue.add('a', { priority: two });
  await queue.take();

  expect(queue.processingPriority('a')).toBe(kept);
  expect(queue.depth).toBe(0);
});

test('[Q-21] a delayed add with a higher priority raises the priority of a ready key at once', async () => {
  const { clock, queue } = newQueue();
  queue.add('a', { priority: LOW_PRIORITY });
  queue.add('b', { priority: -1 });

  queue.addAfter('a', 1_000, { priority: 0 });

  expect(clock.pending).toBe(0);
  expect(await takeAll(queue)).toEqual(['a', 'b']);
});

test('[Q-21] two delayed adds keep the higher priority and the earlier time', async () => {
  const { clock, queue } = newQueue();
  queue.addAfter('a', 100, { priority: LOW_PRIORITY });
  queue.addAfter('a', 900, { priority: 2 });

  clock.advance(100);
  await queue.take();

  expect(queue.processingPriority('a')).toBe(2);
});

test('[Q-21] an immediate add of a delayed key keeps the higher of the two priorities', async () => {
  const { queue } = newQueue();
  queue.addAfter('a', 100, { priority: 2 });

  queue.add('a', { priority: LOW_PRIORITY });
  await queue.take();

  expect(queue.processingPriority('a')).toBe(2);
});

test('[Q-21] a taken key forgets the priority it waited with', async () => {
  const { queue } = newQueue();
  queue.add('a', { priority: 5 });
  await queue.take();
  queue.done('a');

  queue.add('a', { priority: LOW_PRIORITY });
  await queue.take();

  expect(queue.processingPriority('a')).toBe(LOW_PRIORITY);
});

test('keys that become due together are taken by priority, not by order of arrival', async () => {
  const { clock, queue } = newQueue();
  const taken = queue.take();
  queue.addAfter('low', 10, { priority: LOW_PRIORITY });
  queue.addAfter('high', 10, { priority: 1 });

  clock.advance(10);

  expect(await taken).toBe('high');
});

test('[Q-22] the ageing limit of a queue is 60 s by default', async () => {
  const { clock, queue } = newQueue();
  queue.add('low', { priority: LOW_PRIORITY });
  clock.advance(59_999);
  queue.add('high 1');
  queue.add('high 2');

  const early = await queue.take();
  clock.advance(1);
  const late = await queue.take();

  expect([early, late]).toEqual(['high 1', 'low']);
});

test.each([
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
])('a queue refuses a priority of %d', (priority) => {
  const { queue } = newQueue();
  const refused = expect.objectContaining({ code: 'CONFIG' });

  expect(() => queue.add('a', { priority })).toThrow(refused);
  expect(() => queue.addAfter('a', 10, { priority })).toThrow(refused);
  expect([queue.depth, queue.waitingCount]).toEqual([0, 0]);
});

test('[Q-5] finished keys leave nothing behind in the queue', async () => {
  const { clock, queue } = newQueue();
  for (let index = 0; index < 1_000; index++) {
    queue.add(`${index}`, { priority: index % 7 });
    queue.addAfter(`${index} later`, index + 1);
  }
  clock.advance(1_000);
  for (const key of await takeAll(queue)) {
    queue.retry(key);
    queue.done(key);
  }
  const failing = queue.failingCount;

  clock.advance(1_000);
  for (const key of await takeAll(queue)) {
    queue.forget(key);
    queue.done(key);
  }

  expect(failing).toBe(2_000);
  expect([queue.depth, queue.waitingCount, queue.processingCount, queue.failingCount]).toEqual([
    0, 0, 0, 0,
  ]);
  expect(clock.pending).toBe(0);
});
