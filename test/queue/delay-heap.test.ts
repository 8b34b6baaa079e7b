import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { settle } from '@chancery/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DelayHeap } from '../../operator/queue/ready-line.ts';

describe('DelayHeap', () => {
  test('takeDue returns the due keys, earliest first', () => {
    const heap = new DelayHeap<string>();
    heap.add('c', 30);
    heap.add('a', 10);
    heap.add('b', 20);

    const due = heap.takeDue(20);

    expect(due).toEqual(['a', 'b']);
    expect(heap.size).toBe(1);
    expect(heap.nextAtMs).toBe(30);
  });

  test('of two times for the same key, the heap keeps the earlier', () => {
    const heap = new DelayHeap<string>();
    heap.add('a', 20);
    heap.add('a', 10);
    heap.add('a', 30);

    expect(heap.takeDue(10)).toEqual(['a']);
    expect(heap.takeDue(100)).toEqual([]);
  });

  test('a deleted key that is added again is due only at its new time', () => {
    const heap = new DelayHeap<string>();
    heap.add('a', 10);

    heap.delete('a');
    heap.add('a', 40);

    expect(heap.nextAtMs).toBe(40);
    expect(heap.takeDue(39)).toEqual([]);
    expect(heap.takeDue(40)).toEqual(['a']);
  });

  test('the heap behaves like a sorted array, whatever is added, deleted and taken', () => {
    const key = fc.constantFrom(...'abcdefgh');
    const atMs = fc.integer({ min: 0, max: 40 });
    const step = fc.oneof(
      { weight: 50, arbitrary: fc.record({ do: fc.constant('add' as const), key, atMs }) },
      { weight: 20, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
      { weight: 10, arbitrary: fc.record({ do: fc.constant('take' as const), atMs }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        const heap = new DelayHeap<string>();
        const model = new Map<string, number>();

        for (const now of steps) {
          if (now.do === 'add') {
            heap.add(now.key, now.atMs);
            model.set(now.key, Math.min(model.get(now.key) ?? now.atMs, now.atMs));
          } else if (now.do === 'delete') {
            heap.delete(now.key);
            model.delete(now.key);
          } else if (now.do === 'clear') {
            heap.clear();
            model.clear();
          } else {
            const due = heap.takeDue(now.atMs);
            const times = due.map((name) => model.get(name) ?? Number.NaN);
            const expected = [...model].filter(([, at]) => at <= now.atMs).map(([name]) => name);
            expect(due.toSorted()).toEqual(expected.toSorted());
            expect(times).toEqual(times.toSorted((a, b) => a - b));
            for (const name of due) model.delete(name);
          }
          expect(heap.size).toBe(model.size);
          expect(heap.nextAtMs).toBe([...model.values()].toSorted((a, b) => a - b)[0]);
        }
      }),
    );
  });

  test('the heap keeps its order when most of many keys are deleted', () => {
    const heap = new DelayHeap<number>();
    const keys = Array.from({ length: 500 }, (_, index) => (index * 379) % 500);
    for (const key of keys) heap.add(key, key);

    for (const key of keys) if (key % 7 !== 0) heap.delete(key);
    heap.add(1, 1);

    const left = Array.from({ length: 500 }, (_, key) => key).filter((key) => key % 7 === 0);
    expect(heap.takeDue(500)).toEqual([0, 1, ...left.slice(1)]);
  });

  test.each([
    'one by one',
    'all together',
  ])('a deleted key that was due in the far future is not kept in memory: deleted %s', async (how) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heap = new DelayHeap<object>();
    const deleted = addAndDelete(heap, how === 'one by one' ? 1 : 10_000);

    await settle();
    collectGarbage();

    expect(deleted.filter((key) => key.deref() !== undefined).length).toBeLessThanOrEqual(64);
    expect(heap.size).toBe(0);
  });
});

/** 10,000 keys, of which `atOnce` are in the heap before they are deleted. */
function addAndDelete(heap: DelayHeap<object>, atOnce: number): WeakRef<object>[] {
  return Array.from({ length: 10_000 / atOnce }, () => {
    const keys = Array.from({ length: atOnce }, () => ({}));
    for (const [index, key] of keys.entries()) heap.add(key, 1_000_000 + index);
    for (const key of keys) heap.delete(key);
    return keys.map((key) => new WeakRef(key));
  }).flat();
}
