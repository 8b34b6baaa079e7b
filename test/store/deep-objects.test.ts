/** An object that is nested more deeply than recursion can follow, in a cache beside others. */
import { describe, expect, test } from 'vitest';
import { frozenStore } from '../../operator/controller/frozen-store.ts';
import { estimateBytes } from '../../operator/store/estimate-bytes.ts';
import { settle } from '../../operator/testing/fake-clock.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { type StartedInformer, start } from './started-informer.ts';

const DEPTH = 100_000;
const nested = (): string => JSON.parse(`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`);

/** The object `deep` is listed beside `a`, and changes in one batch with `a`. */
async function synced(started: StartedInformer): Promise<void> {
  const { collection, clock, run } = started;
  collection.put('a');
  collection.put('deep', 0, { labels: { nested: nested() } });
  void run();
  await settle();
  await clock.advanceAndSettle(1);
}

async function changeBoth({ collection }: StartedInformer): Promise<void> {
  const events = [
    ['deep', nested()],
    ['a', 'flat'],
  ].map(([name = '', label = '']) => {
    collection.loseNextEvent = true;
    return { type: 'MODIFIED', object: collection.put(name, 1, { labels: { label } }) } as const;
  });
  collection.newestWatch.send(...events);
  await settle();
}

describe('[attack A-1] beside an object that recursion cannot follow', () => {
  test('each other object is cached frozen, and handlers are told of it', async () => {
    const started = start(new FakeCollection(), { freeze: true });
    const told: string[] = [];
    started.informer.addHandler((changes) => {
      told.push(...changes.map(({ type, key }) => `${type} ${key}`));
    });

    await synced(started);
    await changeBoth(started);

    expect(told).toEqual(['add demo/a', 'add demo/deep', 'update demo/deep', 'update demo/a']);
    expect(started.informer.store.list().map((object) => Object.isFrozen(object))).toEqual([
      true,
      true,
    ]);
  });

  test('a reconciler reads each other object from a list', async () => {
    const started = start();
    await synced(started);

    const objects = frozenStore(started.informer.store).list();

    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'deep']);
    expect(Object.isFrozen(objects[0]?.metadata)).toBe(true);
  });

  test('the memory of the cache is estimated', async () => {
    const started = start();
    await synced(started);

    const { objects, bytes } = started.informer.size();

    expect(objects).toBe(2);
    expect(bytes).toBeGreaterThan(estimateBytes({ a: 1 }) * DEPTH);
  });

  test('each other object is in an index whose function fails for that one', async () => {
    const started = start();
    started.informer.addIndex('text', (object: Thing) => {
      JSON.stringify(object);
      return ['walked'];
    });

    await synced(started);
    await changeBoth(started);

    const found = started.informer.store.byIndex('text', 'walked');
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(started.indexErrors).toEqual([expect.stringContaining('RangeError')]);
  });
});
