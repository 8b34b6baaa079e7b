/** How many events of a binding wait, and what becomes of those above the bound. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { BindingEvents } from '../../src/engine/binding-events.ts';
import type { WatchEventType } from '../../src/hook.ts';
import type { RunTask } from '../../src/queue/task.ts';
import { fakeObject, hook, watches } from './support/engine-world.ts';

/** The events of a binding, released, and the tasks that it has put into its queue. */
function released(): { events: BindingEvents; queue: RunTask[] } {
  const queue: RunTask[] = [];
  const events = new BindingEvents(hook('a', {}), watches({ name: 'x' }), (task) =>
    queue.push(task),
  );
  events.release();
  return { events, queue };
}

const change = (name: string, type: WatchEventType, at: number) => ({
  type,
  object: fakeObject(name, at),
});

/** `Added a 1`: type, key and state of each event, oldest first. */
function told(queue: readonly RunTask[]): readonly string[] {
  return queue.map(({ item }) => {
    if (item.type !== 'Event') return item.type;
    const { type, object } = item.event;
    return `${type} ${object.key} ${object.objectText}`;
  });
}

/** Fills the queue with a hundred events of other objects. */
function fill(events: BindingEvents): void {
  for (let n = 0; n < 100; n++) events.changed([change(`other-${n}`, 'Added', 0)]);
}

test.each<[string, WatchEventType[], string[]]>([
  ['Added and Modified are Added', ['Added', 'Modified'], ['Added k 2']],
  ['Modified twice is Modified', ['Modified', 'Modified'], ['Modified k 2']],
  ['Modified and Deleted are Deleted', ['Modified', 'Deleted'], ['Deleted k 2']],
  ['Deleted and Added stay two', ['Deleted', 'Added'], ['Deleted k 1', 'Added k 2']],
  [
    'an object that is deleted and created again and again keeps two events',
    ['Deleted', 'Added', 'Deleted', 'Added', 'Modified'],
    ['Deleted k 1', 'Added k 5'],
  ],
  [
    'an object that is deleted at the end keeps its Deleted event',
    ['Deleted', 'Added', 'Deleted'],
    ['Deleted k 1', 'Deleted k 3'],
  ],
])('when 100 events wait, further events of one object are combined: %s', (_, types, expected) => {
  const { events, queue } = released();
  fill(events);

  types.forEach((type, at) => {
    events.changed([change('k', type, at + 1)]);
  });

  expect(told(queue.slice(100))).toEqual(expected);
});

test('while fewer than 100 events wait, no event is dropped, even after earlier events were taken', () => {
  const { events, queue } = released();
  fill(events);

  for (const task of queue.splice(0)) task.onTaken?.();
  for (const at of [1, 2, 3]) events.changed([change('k', 'Modified', at)]);

  expect(told(queue)).toEqual(['Modified k 1', 'Modified k 2', 'Modified k 3']);
});

test('the number of waiting events is bounded by the number of objects, and the last event of each object has its last state', () => {
  const anyChange = fc.record({
    key: fc.nat(4),
    type: fc.constantFrom<WatchEventType>('Added', 'Modified', 'Deleted'),
    taken: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(anyChange, { minLength: 150, maxLength: 400 }), (changes) => {
      const { events, queue } = released();
      const last = new Map<string, string>();

      changes.forEach(({ key, type, taken }, at) => {
        events.changed([change(`k${key}`, type, at)]);
        last.set(`k${key}`, `${at}`);
        if (taken && at % 40 === 0) queue.shift()?.onTaken?.();
      });

      expect(queue.length).toBeLessThanOrEqual(100 + 2 * 5);
      for (const [key, at] of last) {
        expect(told(queue).findLast((each) => each.includes(key))).toMatch(new RegExp(` ${at}$`));
      }
    }),
    propertyRuns(0.5),
  );
});
