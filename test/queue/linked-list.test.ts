import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkedList, type Place } from '../../operator/queue/ready-line.ts';

test('the linked list behaves like an array, wherever values are removed', () => {
  const step = fc.oneof(fc.record({ push: fc.nat() }), fc.record({ remove: fc.nat({ max: 20 }) }));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const list = new LinkedList<number>();
      const model: Place<number>[] = [];

      for (const now of steps) {
        if ('push' in now) model.push(list.push(now.push));
        else {
          const [place] = model.splice(now.remove % Math.max(model.length, 1), 1);
          if (place !== undefined) list.remove(place);
        }
        expect(list.size).toBe(model.length);
        expect(list.first).toBe(model[0]?.value);
      }

      for (const place of model) {
        expect(list.first).toBe(place.value);
        list.remove(place);
      }
      expect([list.size, list.first]).toEqual([0, undefined]);
    }),
  );
});
