import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { LOW_PRIORITY, WorkQueue } from '../../operator/queue/work-queue.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

function newQueue(): { clock: FakeClock; queue: WorkQueue<string> } {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue<string>({ clock, backoff: { jitter: 0 } }) };
}

/** Takes and finishes everything that is ready. */
async function drain(queue: WorkQueue<string>): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) {
    const key = await queue.take();
    if (key === undefined) break;
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe('add', () => {
  test('[Q-1] keys are taken in the order in which they were added, each once', async () => {
    const { queue } = newQueue();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);

    expect(queue.depth).toBe(3);
    expect(await drain(queue)).toEqual(['a', 'b', 'c']);
  });

  test('[Q-1] a key that is added while it is held is taken exactly once more, after done()', async () => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();

    for (let again = 0; again < 5; again++) queue.add('a');
    const depthWhileHeld = queue.depth;
    queue.done('a');

    expect(depthWhileHeld).toBe(0);
    expect(await drain(queue)).toEqual(['a']);
  });

  test('[Q-1] a key that was added while it was held goes to the end of the queue after done()', async () => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('b');

    queue.done('a');

    expect(await drain(queue)).toEqual(['b', 'a']);
  });

  test('callers that wait in take() get keys in the order of their calls', async () => {
    const { queue } = newQueue();
    const first = queue.take();
    const second = queue.take();

    queue.add('a');
    queue.add('b');

    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  test('[Q-1] done() for a key that was not added again leaves the queue empty', async () => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();

    queue.done('a');

    expect(queue.depth).toBe(0);
  });

  test('[Q-1] [Q-2] fifty producers and ten workers lose nothing and never share a key', async () => {
    const { queue } = newQueue();
    const held = new Set<string>();
    const worked = new Map<string, number>();
    const work = async (): Promise<void> => {
      for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
        expect(held.has(key)).toBe(false);
        held.add(key);
        await settle();
        worked.set(key, (worked.get(key) ?? 0) + 1);
        held.delete(key);
        queue.done(key);
      }
    };
    const produce = async (producer: number): Promise<void> => {
      for (let round = 0; round < 20; round++) {
        queue.add(`${producer}`);
        queue.add(`shared-${round % 3}`);
        await settle();
      }
    };
    const workers = Array.from({ length: 10 }, work);

    await Promise.all(Array.from({ length: 50 }, (_, producer) => produce(producer)));
    while (queue.depth > 0 || held.size > 0) await settle();
    queue.close();
    await Promise.all(workers);

    expect(worked.size).toBe(53);
  });

  test('done() for a key that is not held changes nothing', async () => {
    const { queue } = newQueue();
    queue.add('a');

    queue.done('a');
    queue.add('b');

    expect(await drain(queue)).toEqual(['a', 'b']);
  });

  test('a hundred thousand keys are taken in order, in time, and leave nothing behind', async () => {
    const { queue } = newQueue();
    const keys = Array.from({ length: 100_000 }, (_, index) => `key-${index}`);
    const before = process.cpuUsage();
    for (const key of keys) queue.add(key, { priority: LOW_PRIORITY });

    const drained = await drain(queue);

    const { user } = process.cpuUsage(before);
    expect(drained).toEqual(keys);
    expect(user / 1_000).toBeLessThan(2_000); // quadratic work would take minutes
    expect([queue.depth, queue.waitingCount, queue.processingCount]).toEqual([0, 0, 0]);
  });
});

describe('addAfter', () => {
  test('[Q-3] a delayed key is ready at its time and not before', async () => {
    const { clock, queue } = newQueue();
    queue.addAfter('a', 100);

    clock.advance(99);
    const early = queue.depth;
    clock.advance(1);

    expect(early).toBe(0);
    expect(await drain(queue)).toEqual(['a']);
  });

  test('[Q-3] the earlier of two delays counts, whatever their order', async () => {
    const { clock, queue } = newQueue();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('b', 50);
    queue.addAfter('b', 100);

    clock.advance(50);
    const atFirst = await drain(queue);
    clock.advance(1_000);

    expect(atFirst.toSorted()).toEqual(['a', 'b']);
    expect(queue.depth).toBe(0);
  });

  test.each([0, -1, Number.NaN])('[Q-3] a delay of %i ms counts as no delay', (delayMs) => {
    const { queue } = newQueue();

    queue.addAfter('a', delayMs);

    expect(queue.depth).toBe(1);
  });

  test('[Q-3] an immediate add makes a delayed key ready now and drops the delay', async () => {
    const { clock, queue } = newQueue();
    queue.addAfter('a', 100);

    queue.add('a');
    const now = await drain(queue);
    clock.advance(1_000);

    expect(now).toEqual(['a']);
    expect(queue.depth).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('[Q-3] an immediate add while the key is held drops the delay as well', async () => {
    const { clock, queue } = newQueue();
    queue.add('a');
    await queue.take();
    queue.addAfter('a', 100);

    queue.add('a');
    queue.done('a');
    const again = await drain(queue);
    clock.advance(1_000);

    expect(again).toEqual(['a']);
    expect(queue.depth).toBe(0);
  });

  test('a delayed add of a key that is already ready has no later effect', async () => {
    const { clock, queue } = newQueue();
    queue.add('a');

    queue.addAfter('a', 100);
    await drain(queue);
    clock.advance(1_000);

    expect(queue.depth).toBe(0);
  });

  test('if a delayed key becomes due while it is held, it waits for done()', async () => {
    const { clock, queue } = newQueue();
    queue.add('a');
    await queue.take();
    queue.addAfter('a', 100);

    clock.advance(100);
    const whileHeld = queue.depth;
    queue.done('a');

    expect(whileHeld).toBe(0);
    expect(queue.depth).toBe(1);
  });

  test('[Q-4] any number of delayed keys need one timer, set for the earliest', () => {
    const { clock, queue } = newQueue();

    for (let index = 0; index < 1_000; index++) queue.addAfter(`${index}`, 5_000 - index);

    expect(clock.pending).toBe(1);
    expect(clock.nextInMs).toBe(4_001);
  });

  test('[Q-4] a delay of forty days works, and an infinite delay never ends', async () => {
    const { clock, queue } = newQueue();
    queue.addAfter('a', 40 * DAY_MS);
    queue.addAfter('b', Number.POSITIVE_INFINITY);

    clock.advance(40 * DAY_MS - 1);
    const early = queue.depth;
    clock.advance(1);
    const due = await drain(queue);
    clock.advance(1_000 * DAY_MS);

    expect(early).toBe(0);
    expect(due).toEqual(['a']);
    expect(queue.depth).toBe(0);
  });

  test('[Q-4] a key with an infinite delay is not kept, and can still be added', async () => {
    const { clock, queue } = newQueue();

    queue.addAfter('a', Number.POSITIVE_INFINITY);
    const kept = [queue.waitingCount, clock.pending];
    queue.add('a');

    expect(kept).toEqual([0, 0]);
    expect(await drain(queue)).toEqual(['a']);
  });

  test('keys that become due one after another keep their order', async () => {
    const { clock, queue } = newQueue();
    for (const [key, delayMs] of [
      ['c', 300],
      ['a', 100],
      ['b', 200],
    ] as const) {
      queue.addAfter(key, delayMs);
    }

    clock.advance(1_000);

    expect(await drain(queue)).toEqual(['a', 'b', 'c']);
  });
});

describe('retry', () => {
  test('[Q-5] a key that always fails is retried with growing delays, until it is forgotten', async () => {
    const { clock, queue } = newQueue();
    const delays: number[] = [];
    queue.add('a');
    for (let failure = 0; failure < 4; failure++) {
      await queue.take();
      delays.push(queue.retry('a'));
      queue.done('a');
      clock.advance(delays.at(-1) ?? 0);
    }

    const failures = queue.failures('a');
    queue.forget('a');

    expect(delays).toEqual([5, 10, 20, 40]);
    expect(failures).toBe(4);
    expect(queue.failures('a')).toBe(0);
    expect(queue.retry('a')).toBe(5);
  });

  test('a retry waits for the given time if that is longer than the back-off', () => {
    const { clock, queue } = newQueue();

    const asked = queue.retry('a', 3_000);
    const own = queue.retry('b', 3);

    expect([asked, own]).toEqual([3_000, 5]);
    expect(clock.nextInMs).toBe(5);
  });

  test('[Q-24] a failing key waits outside of the queue and delays no other key', async () => {
    const { queue } = newQueue();
    queue.add('poison');
    await queue.take();

    queue.retry('poison');
    queue.done('poison');
    queue.add('b');

    expect(await drain(queue)).toEqual(['b']);
  });
});

describe('close', () => {
  test('[Q-30] close() resolves every call of take() with undefined, now and later', async () => {
    const { queue } = newQueue();
    const waiting = [queue.take(), queue.take()];

    queue.close();

    expect(await Promise.all([...waiting, queue.take()])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('[Q-30] a closed queue returns no ready, delayed, added or held key', async () => {
    const { clock, queue } = newQueue();
    queue.add('held');
    await queue.take();
    queue.add('held');
    queue.add('ready');
    queue.addAfter('delayed', 10);

    queue.close();
    queue.add('late');
    queue.addAfter('late', 0);
    queue.retry('late');
    queue.done('held');
    clock.advance(DAY_MS);

    expect(await queue.take()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  test('a second close of the queue changes nothing', async () => {
    const { queue } = newQueue();
    queue.close();

    queue.close();

    expect(await queue.take()).toBeUndefined();
  });
});

test('placeOf returns the state of a key (ready, held, held and added again, delayed or absent) and for how long', async () => {
  const { clock, queue } = newQueue();
  queue.add('a', { priority: 3 });
  queue.add('b');
  clock.advance(40);
  await queue.take();
  clock.advance(7);
  const held = queue.placeOf('a');
  queue.add('a');
  queue.addAfter('c', 500, { priority: -1 });
  clock.advance(100);

  expect(held).toMatchObject({ state: 'working', forMs: 7, priority: 3, isAddedAgain: false });
  expect(queue.placeOf('a')).toMatchObject({ state: 'working', forMs: 107, isAddedAgain: true });
  expect(queue.placeOf('b')).toMatchObject({ state: 'ready', forMs: 147, dueInMs: undefined });
  expect(queue.placeOf('c')).toMatchObject({ state: 'delayed', dueInMs: 400, priority: -1 });
  expect(queue.placeOf('d')).toBeUndefined();
});
