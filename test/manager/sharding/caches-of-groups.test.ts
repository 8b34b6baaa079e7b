/** What the caches do, and what they keep, when groups come and go. */
import { FakeClock } from '@chancery/testing';
import { expect, type Mock, test, vi } from 'vitest';
import { ShardedSource } from '../../../operator/client/sharded-source.ts';
import { NEVER_ABORTED } from '../../../operator/core/abort.ts';
import type { GroupTerm } from '../../../operator/manager/sharding/shard-group.ts';
import { GroupsAtWork } from '../../../operator/manager/sharding/sharded-work.ts';
import { OwnSlots } from '../../../operator/manager/sources/own-slots.ts';
import type { Entry } from '../../../operator/model/entry.ts';
import type { ListWatch } from '../../../operator/watch/list-watch.ts';
import { textEntry } from '../../support/text-entry.ts';

type Dropping = (entry: Pick<Entry, 'isUnreadable'>) => boolean;

const TERM: GroupTerm = {
  fence: { writeDeadlineAt: () => 0 },
  eventFence: { writeDeadlineAt: () => 0 },
  lost: NEVER_ABORTED,
};
const NO_CACHES = { openSlots: async () => {}, dropSlots: () => {} };

/** Lets everything happen that is due in this turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('groups that open at the same time are reported together, without groups that were lost before the report', async () => {
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

/** The slots of a process with one cache, whose objects are all in one slot, and what it was asked to drop. */
function cacheOf(slot: number): { own: OwnSlots; narrow: Mock<(isDropped: Dropping) => void> } {
  const narrow = vi.fn<(isDropped: Dropping) => void>();
  const slotsOf = ({ isUnreadable }: Pick<Entry, 'isUnreadable'>): readonly number[] => {
    if (isUnreadable) throw new Error('it cannot be read');
    return [slot];
  };
  const cached = { informer: { narrow, state: 'unserved' }, slotted: { slotting: { slotsOf } } };
  return { own: new OwnSlots(new FakeClock(), () => [cached as never]), narrow };
}

const READABLE = { isUnreadable: false };

test('when slots are dropped together, each cache is scanned once', async () => {
  const { own, narrow } = cacheOf(1);
  await own.openSlots(new Set([1, 2, 3, 4]), NEVER_ABORTED);

  for (const slot of [1, 2, 3]) own.dropSlots(new Set([slot]));
  await turn();
  own.dropSlots(new Set([4]));
  await turn();

  expect(narrow).toHaveBeenCalledTimes(2);
});

test('when a slot is dropped, its readable objects are dropped, unless the slot is opened again first', async () => {
  const { own, narrow } = cacheOf(1);
  await own.openSlots(new Set([1]), NEVER_ABORTED);
  own.dropSlots(new Set([1]));
  await turn();
  const isDropped = (entry: Pick<Entry, 'isUnreadable'>): boolean =>
    narrow.mock.calls[0]?.[0](entry) ?? false;

  const before = [isDropped(READABLE), isDropped({ isUnreadable: true })];
  await own.openSlots(new Set([1]), NEVER_ABORTED);

  expect(before).toEqual([true, false]);
  expect(isDropped(READABLE)).toBe(false);
});

test('a list does not keep metadata that was parsed only to find the owners of its objects', async () => {
  const labels = { slot: '1' };
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', uid: 'u', labels } };
  const listed = textEntry(object);
  const items = [listed];
  const bare = { listPage: async () => ({ items, resourceVersion: '1' }) };
  const slotsOf = ({ metadata }: Pick<Entry, 'metadata'>) => [Number(metadata.labels?.slot)];
  const slotting = { slotsOf, selectors: () => ({}) };
  const slots = () => new Set([1]);
  const source = new ShardedSource(bare as unknown as ListWatch<typeof object>, slotting, {
    ...{ clock: new FakeClock(), slots },
  });
  const before = listed.metadata;

  const page = await source.listPage({
    consistency: { kind: 'latest' },
    limit: 0,
    signal: NEVER_ABORTED,
  });

  expect(page.items).toEqual([listed]);
  expect(listed.metadata).not.toBe(before);
});
