/** Keys that ask to be reconciled again at once, again and again. */
import { expect, test } from 'vitest';
import { REQUEUE_BRAKE } from '../../operator/controller/policies/requeue-brake.ts';
import type { Outcome } from '../../operator/controller/reconciler.ts';
import type { ObjectKey } from '../../operator/model/object.ts';
import { ControllerBench } from '../support/controller-bench.ts';

const { freely } = REQUEUE_BRAKE;

/** A bench whose objects are reconciled as `answer` says; and when each was. */
function bench(answer: (key: ObjectKey, nth: number) => Outcome) {
  const at = new Map<ObjectKey, number[]>();
  const started: ControllerBench = new ControllerBench({
    reconcile: async (_object, { key, clock }) => {
      const times = at.get(key) ?? [];
      at.set(key, [...times, clock.monotonic()]);
      return answer(key, times.length + 1);
    },
  });
  const gaps = (name: string): readonly number[] => {
    const times = [...at].find(([key]) => key.endsWith(`/${name}`))?.[1] ?? [];
    return times.slice(1).map((time, index) => time - (times[index] ?? 0));
  };
  return { started, gaps };
}

test('[K-2] a key with `requeueAfterMs: 0` is repeated a hundred times without delay, then with growing delays', async () => {
  const { started, gaps } = bench(() => ({ requeueAfterMs: 0 }));
  started.collection().put('a');
  await started.run();

  await started.clock.advanceAndSettle(60_000);

  const all = gaps('a');
  expect(all.slice(0, freely)).toEqual(Array.from({ length: freely }, () => 0));
  expect(all.slice(freely, freely + 9)).toEqual([10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
  expect(all.length).toBeLessThan(freely + 70);
});

test('[K-2] while a key is slowed down, other keys are reconciled, whatever priority the slow key requests', async () => {
  const { started, gaps } = bench((key) =>
    key.endsWith('/greedy') ? { requeueAfterMs: 0, priority: 1_000 } : { requeueAfterMs: 5_000 },
  );
  started.collection().put('greedy');
  started.collection().put('modest');
  await started.run();

  await started.clock.advanceAndSettle(20_500);

  expect(gaps('modest')).toEqual([5_000, 5_000, 5_000, 5_000]);
});

test('[K-2] when the reconciler of a slowed-down key returns something else, the key may again repeat without delay', async () => {
  const { started, gaps } = bench((_key, nth) =>
    nth === freely + 3 ? undefined : { requeueAfterMs: 0 },
  );
  started.collection().put('a');
  await started.run();
  await started.clock.advanceAndSettle(10);
  await started.clock.advanceAndSettle(20);
  await started.clock.advanceAndSettle(60_000);

  started.collection().put('a', 2);
  await started.clock.advanceAndSettle(0);

  const all = gaps('a');
  expect(all.slice(freely, freely + 3)).toEqual([10, 20, 60_000]);
  expect(all.slice(freely + 3)).toEqual(Array.from({ length: freely }, () => 0));
});

test('[K-2] while a key is slowed down, a change of its object is still reconciled at once', async () => {
  const { started, gaps } = bench(() => ({ requeueAfterMs: 0 }));
  started.collection().put('a');
  await started.run();
  await started.clock.advanceAndSettle(30_000);
  const before = gaps('a').length;

  await started.clock.advanceAndSettle(1);
  started.collection().put('a', 2);
  await started.clock.advanceAndSettle(0);

  expect(gaps('a')).toHaveLength(before + 1);
});

test('[K-2] a key with `requeueAfterMs: 100` is never slowed down', async () => {
  const { started, gaps } = bench(() => ({ requeueAfterMs: 100 }));
  started.collection().put('a');
  await started.run();

  await started.clock.advanceAndSettle(60_000);

  expect(new Set(gaps('a'))).toEqual(new Set([100]));
});

test('[K-2] if keys return `requeueAfterMs: 0` again and again, the log says once in ten minutes what to return instead', async () => {
  const { started } = bench(() => ({ requeueAfterMs: 0 }));
  started.collection().put('a');
  started.collection().put('b');
  await started.run();

  await started.clock.advanceAndSettle(9 * 60_000);
  const early = started.lines.filter(({ message }) => message.includes('again and again'));
  await started.clock.advanceAndSettle(2 * 60_000);
  const late = started.lines.filter(({ message }) => message.includes('again and again'));

  expect(early.map(({ level }) => level)).toEqual(['warn']);
  expect(early[0]?.fields).toMatchObject({
    remedy: expect.stringContaining('return nothing'),
  });
  expect(late).toHaveLength(2);
});
