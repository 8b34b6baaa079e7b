import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { STORM_PATIENCE_MS, Storm } from '../../operator/controller/policies/storm.ts';
import { yieldToEventLoop } from '../../operator/core/time-slice.ts';

interface Weather {
  readonly storm: Storm;
  readonly clock: FakeClock;
  /** So many turns of the event loop that bring so many changes each. */
  pour(turns: number, changes?: number): Promise<void>;
}

function weather(ready = 0): Weather {
  const clock = new FakeClock();
  const storm = new Storm(clock, () => ready);
  return {
    storm,
    clock,
    async pour(turns, changes = 10) {
      for (let turn = 0; turn < turns; turn++) {
        for (let change = 0; change < changes; change++) storm.changed();
        await yieldToEventLoop();
      }
    },
  };
}

/** Whether what is waited for is over by now; asking takes no turn, for one without changes ends a storm. */
function watched(calm: Promise<void> | undefined): () => boolean {
  let over = calm === undefined;
  void calm?.then(() => {
    over = true;
  });
  return () => over;
}

test('changes that come one by one do not delay reconciles, however many there are', async () => {
  const { storm, pour } = weather();

  await pour(50, 1);

  expect(storm.beforeTake()).toBeUndefined();
});

test('a single burst of changes does not delay reconciles', async () => {
  const { storm, pour } = weather();

  await pour(1, 1_000);

  expect(storm.beforeTake()).toBeUndefined();
});

test('reconciles wait while each turn brings many changes, and continue after a turn without changes', async () => {
  const { storm, pour } = weather();

  await pour(5);
  const isOver = watched(storm.beforeTake());
  await pour(5);
  const before = isOver();
  await yieldToEventLoop();
  await yieldToEventLoop();

  expect([before, isOver()]).toEqual([false, true]);
  expect(storm.beforeTake()).toBeUndefined();
});

test('reconciles continue after the first turn with few changes', async () => {
  const { storm, pour } = weather();
  await pour(5);
  const isOver = watched(storm.beforeTake());
  const before = isOver();

  await pour(2, 1);

  expect([before, isOver()]).toEqual([false, true]);
});

test('after 200 ms with many changes, the waiting reconciles continue, and later reconciles wait again', async () => {
  const { storm, clock, pour } = weather(3);
  await pour(5);
  const isOver = watched(storm.beforeTake());

  clock.advance(STORM_PATIENCE_MS - 1);
  await pour(2);
  const early = isOver();
  clock.advance(1);
  await pour(2);
  const onTime = isOver();
  const through = [storm.beforeTake(), storm.beforeTake(), storm.beforeTake()];
  const next = storm.beforeTake();

  expect([early, onTime]).toEqual([false, true]);
  expect(through).toEqual([undefined, undefined, undefined]);
  expect(next).toBeInstanceOf(Promise);
});

test('a second burst of changes delays reconciles as long as the first burst', async () => {
  const { storm, clock, pour } = weather();
  await pour(5);
  clock.advance(STORM_PATIENCE_MS);
  await yieldToEventLoop();
  await yieldToEventLoop();

  await pour(5);

  expect(storm.beforeTake()).toBeInstanceOf(Promise);
});
