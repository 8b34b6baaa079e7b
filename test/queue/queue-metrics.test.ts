import { FakeClock, RecordingMeter } from '@chancery/testing';
import { expect, test } from 'vitest';
import { WorkQueue } from '../../operator/queue/work-queue.ts';

const labels = { name: 'web', controller: 'web' };

function newQueue() {
  const clock = new FakeClock();
  const meter = new RecordingMeter();
  const queue = new WorkQueue<string>({
    clock,
    backoff: { jitter: 0 },
    metrics: { meter, name: 'web' },
  });
  const depth = (priority: string): number =>
    meter.value('workqueue_depth', { ...labels, priority });
  const value = (name: string): number => meter.value(`workqueue_${name}`, labels);
  const observed = (name: string): readonly number[] =>
    meter.observations(`workqueue_${name}`, labels);
  return { clock, queue, depth, value, observed };
}

test('[Q-31] the adds metric counts a ready key once, however often it was added', async () => {
  const { clock, queue, value } = newQueue();
  queue.add('a');
  queue.add('a');
  queue.addAfter('b', 10);
  const before = value('adds_total');

  clock.advance(10);
  await queue.take();
  queue.add('a');
  queue.add('a');

  expect([before, value('adds_total')]).toEqual([1, 3]);
});

test('[Q-31] the retries metric counts how often keys are retried', () => {
  const { queue, value } = newQueue();

  queue.retry('a');
  queue.retry('a');

  expect(value('retries_total')).toBe(2);
});

test('[Q-31] the depth metric counts the keys of each priority, and follows keys that are raised or taken', async () => {
  const { queue, depth } = newQueue();
  queue.add('a', { priority: -100 });
  queue.add('b', { priority: -100 });
  queue.add('c');
  const filled = [depth('-100'), depth('0')];

  queue.add('a');
  const raised = [depth('-100'), depth('0')];
  await queue.take();

  expect(filled).toEqual([2, 1]);
  expect(raised).toEqual([1, 2]);
  expect([depth('-100'), depth('0')]).toEqual([1, 1]);
});

test('[Q-31] the depth metric counts no delayed or held keys, and is zero for a closed queue', async () => {
  const { queue, depth } = newQueue();
  queue.addAfter('delayed', 10);
  queue.add('held');
  await queue.take();
  queue.add('held');
  const waiting = depth('0');
  queue.add('ready');
  const ready = depth('0');

  queue.close();

  expect([waiting, ready, depth('0')]).toEqual([0, 1, 0]);
});

test('[Q-31] from the twenty-sixth priority on, all priorities share one series of the depth metric', async () => {
  const { queue, depth } = newQueue();
  for (let priority = 1; priority <= 30; priority++) queue.add(`${priority}`, { priority });
  queue.add('5 as well', { priority: 5 });
  const shared = depth('exceeded_cardinality_limit');
  const own = [depth('1'), depth('5'), depth('25'), depth('26')];

  await queue.take();
  queue.add('31', { priority: 31 });
  queue.add('32', { priority: 32 });
  queue.add('1', { priority: 33 });

  expect(shared).toBe(5);
  expect(own).toEqual([1, 2, 1, 0]);
  expect(depth('exceeded_cardinality_limit')).toBe(7);
  expect(depth('1')).toBe(0);
});

test('[Q-31] the wait metric counts from when a key was ready, not from its delayed add or while it was held', async () => {
  const { clock, queue, observed } = newQueue();
  queue.addAfter('a', 10_000);
  clock.advance(10_000);
  clock.advance(1_500);
  await queue.take();
  queue.add('a');
  clock.advance(7_000);
  queue.done('a');

  clock.advance(250);
  await queue.take();

  expect(observed('queue_duration_seconds')).toEqual([1.5, 0.25]);
});

test('[Q-31] the wait metric of a key whose priority was raised counts from when the key was ready', async () => {
  const { clock, queue, observed } = newQueue();
  queue.add('a', { priority: -100 });
  clock.advance(2_000);
  queue.add('a');
  clock.advance(1_000);

  await queue.take();

  expect(observed('queue_duration_seconds')).toEqual([3]);
});

test('[Q-31] the work metric measures the time between take() and done()', async () => {
  const { clock, queue, observed } = newQueue();
  queue.add('a');
  await queue.take();

  clock.advance(3_250);
  queue.done('a');
  queue.done('a');

  expect(observed('work_duration_seconds')).toEqual([3.25]);
});

test('[Q-31] the metrics of running work are updated every 500 ms, and no timer runs without work', async () => {
  const { clock, queue, value } = newQueue();
  const shown = (): number[] => [
    value('unfinished_work_seconds'),
    value('longest_running_processor_seconds'),
  ];
  queue.add('a');
  queue.add('b');
  const pendingBefore = clock.pending;
  await queue.take();
  clock.advance(300);
  await queue.take();

  clock.advance(199);
  const early = shown();
  clock.advance(1);
  const first = shown();
  clock.advance(500);
  const second = shown();
  queue.done('a');
  clock.advance(500);
  const oneLeft = shown();
  queue.done('b');

  expect(pendingBefore).toBe(0);
  expect([early, first, second, oneLeft]).toEqual([
    [0, 0],
    [0.7, 0.5],
    [1.7, 1],
    [1.2, 1.2],
  ]);
  expect(shown()).toEqual([0, 0]);
  expect(clock.pending).toBe(0);
});

test('[Q-31] the longest time for which a key is held is known even without a meter', async () => {
  const clock = new FakeClock();
  const queue = new WorkQueue<string>({ clock });
  queue.add('a');
  queue.add('b');
  const before = queue.longestProcessingMs;
  await queue.take();
  clock.advance(100);
  await queue.take();
  clock.advance(50);
  const both = queue.longestProcessingMs;

  queue.done('a');

  expect([before, both, queue.longestProcessingMs]).toEqual([0, 150, 50]);
  expect(clock.pending).toBe(0);
});
