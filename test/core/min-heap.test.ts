import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MinHeap } from '../../operator/core/min-heap.ts';

test('the heap returns its values in order, and `first` is the next value', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 })), (ranks) => {
      const heap = new MinHeap<string>();
      for (const rank of ranks) heap.push(`${rank}`, rank);

      const out: number[] = [];
      for (let next = heap.first; next !== undefined; next = heap.first) {
        expect(heap.pop()).toBe(next);
        expect(next.value).toBe(`${next.rank}`);
        out.push(next.rank);
      }

      expect(out).toEqual(ranks.toSorted((a, b) => a - b));
      expect(heap.size).toBe(0);
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
