/** Lists that are too large for one turn of the event loop. */

import { eventually, settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Change } from '../../operator/store/change.ts';
import { inEveryTurn, perTurn } from '../support/event-loop.ts';
import { expired, FakeCollection, type Thing } from '../support/fake-collection.ts';
import { start } from './started-informer.ts';

const OBJECTS = 10_000;
const MOST_IN_A_TURN = 1_000;

function collectionOf(value: number, collection = new FakeCollection()): FakeCollection {
  for (let index = 0; index < OBJECTS; index++) collection.put(`o${index}`, value);
  return collection;
}

/** Every object changes while no watch can tell of it. */
function changeUnseen(collection: FakeCollection): void {
  collection.newestWatch.fail(expired());
  collectionOf(2, collection);
}

test('[L-15] a list of 10,000 objects is indexed and delivered in turns of 1,000, also when all objects have changed', async () => {
  const { clock, collection, informer, run } = start(collectionOf(1), { pageSize: 0 });
  const indexed = perTurn();
  const told = [perTurn(), perTurn()];
  informer.addIndex('value', ({ value }) => {
    indexed.count(1);
    return [String(value)];
  });
  informer.addHandler((changes) => told[0]?.count(changes.length));
  informer.addHandler(async (changes) => told[1]?.count(changes.length));

  void run();
  await eventually(() => told.every(({ total }) => total() === OBJECTS));
  changeUnseen(collection);
  await clock.advanceAndSettle(60_000);
  await eventually(() => told.every(({ total }) => total() === 2 * OBJECTS));

  const mosts = [indexed, ...told].map(({ most }) => most());
  expect(mosts).toEqual([MOST_IN_A_TURN, MOST_IN_A_TURN, MOST_IN_A_TURN]);
  expect(indexed.total()).toBe(2 * OBJECTS);
});

test('[L-15] [C-10] readers see either the whole old list or the whole new list, in the store and in its indices', async () => {
  const { clock, collection, informer, run } = start(collectionOf(1), { pageSize: 0 });
  informer.addIndex('value', ({ value }) => [String(value)]);
  void run();
  await eventually(() => collection.watches.length === 1);
  const seen: string[] = [];
  inEveryTurn(() => {
    const { store } = informer;
    const one = store.byIndex('value', '1').length;
    const two = store.byIndex('value', '2').length;
    const values = new Set(store.list().map(({ value }) => value));
    seen.push(`${store.list().length} of ${[...values]}: ${one} ${two}`);
  });

  changeUnseen(collection);
  await clock.advanceAndSettle(60_000);
  await eventually(() => collection.watches.length === 2);
  await settle();

  expect(new Set(seen)).toEqual(new Set(['10000 of 1: 10000 0', '10000 of 2: 0 10000']));
  expect(seen.length).toBeGreaterThan(20); // ten turns to compare, ten to index
});

test('if many objects are gone from the source, each turn of the event loop checks 1,000 objects, and drops those that are gone', async () => {
  const { collection, informer, run } = start(collectionOf(1), { pageSize: 0 });
  void run();
  await eventually(() => collection.watches.length === 1);
  await settle();
  const asked = perTurn();
  let isOdd = true;

  informer.narrow(({ key }) => {
    asked.count(1);
    return Number(key.at(-1)) % 2 === (isOdd ? 1 : 0);
  });
  isOdd = false; // what is dropped is decided when its turn comes
  await eventually(() => asked.total() === OBJECTS);

  const last = (digit: number): number =>
    informer.store.list().filter(({ metadata }) => metadata.name?.endsWith(String(digit))).length;
  expect(asked.most()).toBe(MOST_IN_A_TURN);
  expect([last(0), last(1)]).toEqual([100, 900]);
});

test('[L-15] an index that is added while a list is compared contains the whole list', async () => {
  const { informer, run } = start(collectionOf(1), { pageSize: 0 });
  informer.addIndex('value', ({ value }) => [String(value)]);
  let turns = 0;
  inEveryTurn(() => {
    if (++turns === 15) informer.addIndex('late', ({ value }) => [`late ${value}`]);
  });

  void run();
  await eventually(() => informer.synced && turns > 15);

  expect(informer.hasIndex('late')).toBe(true);
  expect(informer.store.byIndex('late', 'late 1')).toHaveLength(OBJECTS);
});

test('[L-15] [C-17] handlers that are added while a list is delivered miss nothing and get nothing twice', async () => {
  const { clock, collection, informer, run } = start(collectionOf(1), { pageSize: 0 });
  void run();
  await eventually(() => collection.watches.length === 1);
  const mirrors: Map<string, Thing>[] = [];
  const wrong: string[] = [];
  inEveryTurn(() => {
    if (mirrors.length === MIRRORS) return;
    const mirror = new Map<string, Thing>();
    mirrors.push(mirror);
    informer.addHandler((changes) => {
      for (const change of changes) if (!follows(mirror, change)) wrong.push(change.key);
    });
  });

  changeUnseen(collection);
  await clock.advanceAndSettle(60_000);
  await eventually(() => mirrors.length === MIRRORS && mirrors.every(isComplete));

  expect(wrong).toEqual([]);
});

/** More than the turns in which a list is told. */
const MIRRORS = 24;

/** Takes `change`; false when it is none of what was told before. */
function follows(mirror: Map<string, Thing>, change: Change<Thing>): boolean {
  const before = mirror.get(change.key);
  mirror.set(change.key, change.object);
  return change.type === 'add' ? before === undefined : before?.value === 1;
}

function isComplete(mirror: ReadonlyMap<string, Thing>): boolean {
  return mirror.size === OBJECTS && [...mirror.values()].every(({ value }) => value === 2);
}

test('[L-15] [H50] a stopped informer does not deliver the rest of a list', async () => {
  const { informer, run, stop } = start(collectionOf(1), { pageSize: 0 });
  let told = 0;
  informer.addHandler((changes) => {
    told += changes.length;
    if (told === 3 * MOST_IN_A_TURN) stop();
  });

  await run();
  await settle();

  expect(told).toBeGreaterThanOrEqual(3 * MOST_IN_A_TURN);
  expect(told).toBeLessThanOrEqual(5 * MOST_IN_A_TURN);
});

test('[L-15] if an informer stops while it compares a list, its store contains nothing of the list', async () => {
  const { collection, informer, run, stop } = start(collectionOf(1), { pageSize: 0 });
  let told = 0;
  informer.addHandler((changes) => {
    told += changes.length;
  });

  inEveryTurn(() => {
    if (collection.lists.length === 1) stop();
  });

  await run();
  await settle();

  expect([told, informer.resourceVersion]).toEqual([0, undefined]);
});
