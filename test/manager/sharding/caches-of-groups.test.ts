/** How often the caches are gone through when several groups come or go together. */
import { FakeClock } from '@chancery/testing';
import { expect, test, vi } from 'vitest';
import { NEVER_ABORTED } from '../../../operator/core/abort.ts';
import type { GroupTerm } from '../../../operator/manager/sharding/shard-group.ts';
import { GroupsAtWork } from '../../../operator/manager/sharding/sharded-work.ts';
import { OwnSlots } from '../../../operator/manager/sources/own-slots.ts';

const TERM: GroupTerm = {
  fence: { writeDeadlineAt: () => 0 },
  eventFence: { writeDeadlineAt: () => 0 },
  lost: NEVER_ABORTED,
};
const NO_CACHES = { openSlots: async () => {}, dropSlots: () => {} };

/** Lets everything happen that is due in this turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('groups that open together are told of at once, and without those that were lost again', async () => {
  const work = new GroupsAtWork({ groups: 16, by: 'uid' }, NO_CACHES);
  const told: number[][] = [];
  work.onOpened((groups) => told.push([...groups]));

  for (const group of [3, 5, 9]) work.dispatch(group, TERM);
  await work.drain(5);
  await turn();
  work.dispatch(7, TERM);
  await turn();

  expect(told).toEqual([[3, 9], [7]]);
});

test('slots that are dropped together go through each cache once', async () => {
  const narrow = vi.fn();
  const slotted = { slotting: { slotsOf: () => [1] } };
  const own = new OwnSlots(new FakeClock(), () => [
    { informer: { narrow, state: 'unserved' }, slotted } as never,
  ]);
  await own.openSlots(new Set([1, 2, 3, 4]), NEVER_ABORTED);

  for (const slot of [1, 2, 3]) own.dropSlots(new Set([slot]));
  await turn();
  const [[isDropped]] = narrow.mock.calls as [[(entry: object) => boolean]];

  expect(narrow).toHaveBeenCalledOnce();
  expect(isDropped({})).toBe(true);
});

test('an object whose slot is opened again before its turn comes is kept', async () => {
  const narrow = vi.fn();
  const slotted = { slotting: { slotsOf: () => [1] } };
  const own = new OwnSlots(new FakeClock(), () => [
    { informer: { narrow, state: 'unserved' }, slotted } as never,
  ]);
  await own.openSlots(new Set([1]), NEVER_ABORTED);
  own.dropSlots(new Set([1]));
  await turn();
  const [[isDropped]] = narrow.mock.calls as [[(entry: object) => boolean]];

  const before = isDropped({});
  await own.openSlots(new Set([1]), NEVER_ABORTED);

  expect([before, isDropped({})]).toEqual([true, false]);
});
