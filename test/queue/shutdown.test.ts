import { FakeClock, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { WorkQueue } from '../../operator/queue/work-queue.ts';

function newQueue(): {
  clock: FakeClock;
  queue: WorkQueue<string>;
  patience: AbortController;
} {
  const clock = new FakeClock();
  const queue = new WorkQueue<string>({ clock, backoff: { jitter: 0 } });
  return { clock, queue, patience: new AbortController() };
}

/** What a promise has come to so far. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  let state: unknown = 'pending';
  promise.then(
    () => {
      state = 'resolved';
    },
    (reason) => {
      state = reason;
    },
  );
  await settle();
  return state;
}

test('[Q-30] a queue that shuts down returns no more keys, and shutdown() resolves when the last key is done', async () => {
  const { clock, queue, patience } = newQueue();
  queue.add('held');
  await queue.take();
  queue.add('held');
  queue.add('ready');
  queue.addAfter('delayed', 10);
  const ended = queue.shutdown({ signal: patience.signal });
  const before = await stateOf(ended);

  const offered = await queue.take();
  queue.done('held');

  expect([before, offered]).toEqual(['pending', undefined]);
  expect(await stateOf(ended)).toBe('resolved');
  expect([queue.waitingCount, queue.depth, clock.pending]).toEqual([0, 0, 0]);
});

test('[Q-30] a drain returns the ready keys, including keys that were added again while held, and no other keys', async () => {
  const { clock, queue, patience } = newQueue();
  queue.add('held');
  await queue.take();
  queue.add('held');
  queue.add('ready');
  queue.addAfter('delayed', 10);
  const ended = queue.shutdown({ drain: true, signal: patience.signal });
  queue.add('late');
  queue.addAfter('late', 1);
  queue.retry('late');
  clock.advance(1_000);

  const first = await queue.take();
  queue.done('held');
  const second = await queue.take();
  const third = await queue.take();
  queue.done('ready');
  const before = await stateOf(ended);
  queue.done('held');

  expect([first, second, third]).toEqual(['ready', 'held', undefined]);
  expect([before, await stateOf(ended)]).toEqual(['pending', 'resolved']);
  expect(clock.pending).toBe(0);
});

test('[Q-30] take() during a drain returns a key that becomes ready, and undefined when the drain ends', async () => {
  const { queue, patience } = newQueue();
  queue.add('held');
  await queue.take();
  queue.add('held');
  const first = queue.take();
  const second = queue.take();

  const ended = queue.shutdown({ drain: true, signal: patience.signal });
  const waiting = await stateOf(first);
  queue.done('held');

  expect(waiting).toBe('pending');
  expect(await Promise.all([first, second])).toEqual(['held', undefined]);
  queue.done('held');
  expect(await stateOf(ended)).toBe('resolved');
});

test.each([true, false])('[Q-30] an idle queue shuts down at once (drain: %s)', async (drain) => {
  const { queue, patience } = newQueue();
  const waiting = [queue.take(), queue.take()];

  const ended = queue.shutdown({ drain, signal: patience.signal });

  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  expect(await stateOf(ended)).toBe('resolved');
});

test('[Q-30] a signal that aborts during a drain closes the queue, and no promise stays pending', async () => {
  const { queue, patience } = newQueue();
  queue.add('stuck');
  await queue.take();
  queue.add('stuck');
  const waiting = queue.take();
  queue.add('ready');
  const got = await waiting;
  const further = queue.take();
  const ended = queue.shutdown({ drain: true, signal: patience.signal });
  const reason = new Error('deadline');

  patience.abort(reason);

  expect(await stateOf(ended)).toBe(reason);
  expect([got, await further, await queue.take()]).toEqual(['ready', undefined, undefined]);
  expect(queue.waitingCount).toBe(0);
});

test.each([
  true,
  false,
])('[Q-30] with an aborted signal, shutdown rejects at once (drain: %s)', async (drain) => {
  const { queue } = newQueue();
  queue.add('stuck');
  await queue.take();
  const reason = new Error('none');

  const ended = queue.shutdown({ drain, signal: AbortSignal.abort(reason) });

  expect(await stateOf(ended)).toBe(reason);
});

test('[Q-30] close() ends a drain early', async () => {
  const { queue, patience } = newQueue();
  queue.add('ready');
  const drained = queue.shutdown({ drain: true, signal: patience.signal });
  const before = await stateOf(drained);

  queue.close();

  expect([before, await stateOf(drained)]).toEqual(['pending', 'resolved']);
  expect(await queue.take()).toBeUndefined();
});

test('[Q-30] a closed queue cannot be drained', async () => {
  const { queue, patience } = newQueue();
  queue.add('ready');
  queue.close();

  await queue.shutdown({ drain: true, signal: patience.signal });

  expect(await queue.take()).toBeUndefined();
});
