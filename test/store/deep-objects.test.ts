/** An object that is nested more deeply than recursion can follow, in a cache beside others. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { transformed } from '../../operator/client/source.ts';
import { frozenStore } from '../../operator/controller/run/context.ts';
import type { OperatorError } from '../../operator/core/errors.ts';
import type { Transform } from '../../operator/model/entry.ts';
import { objectKey } from '../../operator/model/object.ts';
import { Informer } from '../../operator/store/informer.ts';
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

describe('[attack A-1] an object nested too deeply for recursion', () => {
  test('if one object is nested deeply, all other objects are cached and delivered to handlers', async () => {
    const started = start();
    const told: string[] = [];
    started.informer.addHandler((changes) => {
      told.push(...changes.map(({ type, key }) => `${type} ${key}`));
    });

    await synced(started);
    await changeBoth(started);

    expect(told).toEqual(['add demo/a', 'add demo/deep', 'update demo/deep', 'update demo/a']);
    expect(started.informer.store.list()).toHaveLength(2);
  });

  test('a reconciler can list all objects except one that is nested too deeply', async () => {
    const started = start();
    await synced(started);

    const objects = frozenStore(started.informer.store).list();

    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'deep']);
    expect(Object.isFrozen(objects[0]?.metadata)).toBe(true);
  });

  test('the memory of a cache with a deeply nested object is estimated', async () => {
    const started = start();
    await synced(started);

    const { objects, bytes } = started.informer.size();

    expect(objects).toBe(2);
    expect(bytes).toBeGreaterThan('{"a":}'.length * DEPTH);
  });

  test('if the function of an index fails for a deeply nested object, the index still has the other objects', async () => {
    const started = start();
    started.informer.addIndex('text', (object) => {
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

test('[attack A-1] an object nested too deeply for its transform is withheld, and errors contain none of its content', async () => {
  const HUSH = 'hush-hush';
  const nested: string = JSON.parse(`${'{"a":'.repeat(100_000)}"${HUSH}"${'}'.repeat(100_000)}`);
  const collection = new FakeCollection();
  collection.put('deep', 1, { annotations: { nested } });
  collection.put('text', 1, { annotations: { nested: `${HUSH}\n    at ${HUSH}` } });
  collection.put('flat', 1, { annotations: { nested: '{}' } });
  const failures: OperatorError[] = [];
  const reads: Transform<Thing> = (thing) => {
    const text = thing.metadata.annotations?.nested;
    JSON.parse(typeof text === 'string' ? text : JSON.stringify(text));
    return thing;
  };
  const failed = (_key: string, error: OperatorError) => void failures.push(error);
  const source = transformed(collection, reads, { failed, settled: () => {} });
  const observer = { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} };
  const informer = new Informer(source, observer, { clock: new FakeClock(), relistIntervalMs: 0 });
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await settle();

  expect(informer.store.get(objectKey('demo', 'flat'))).toMatchObject({ value: 1 });
  expect(failures.map(({ context }) => context)).toMatchObject([
    { key: 'demo/deep', thrown: 'RangeError' },
    { key: 'demo/text', thrown: 'SyntaxError', at: expect.stringContaining('JSON.parse') },
  ]);
  for (const failure of failures) {
    expect(JSON.stringify(failure) + failure.stack + String(failure.cause)).not.toContain(HUSH);
  }
});
