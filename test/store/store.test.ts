import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { frozenStore } from '../../operator/controller/run/context.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../../operator/model/object.ts';
import { Cache } from '../../operator/store/cache.ts';
import { deepFreeze } from '../../operator/store/freeze.ts';
import { Indices } from '../../operator/store/indices.ts';
import { type Store, storeOf } from '../../operator/store/store.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { start } from './started-informer.ts';

const object = (
  name: string,
  namespace?: string,
  labels?: Readonly<Record<string, string>>,
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    uid: `uid-${namespace}-${name}`,
    resourceVersion: '1',
    ...(namespace !== undefined && { namespace }),
    ...(labels !== undefined && { labels }),
  },
});

function storeWith(...objects: readonly KubernetesObject[]): Store<KubernetesObject> {
  const cache = new Cache();
  cache.replace(objects.map((each) => Entry.of(each)));
  return storeOf({
    name: 'things',
    state: () => 'synced',
    entries: () => cache.entries,
    indices: new Indices(() => {}),
  });
}

test('[C-1] keys are namespace/name, or only the name for a cluster-scoped object', () => {
  const store = storeWith(object('a', 'demo'), object('a'));

  expect(store.get('demo/a' as ObjectKey)?.metadata.namespace).toBe('demo');
  expect(store.get('a' as ObjectKey)?.metadata).not.toHaveProperty('namespace');
  expect(store.get('other/a' as ObjectKey)).toBeUndefined();
  expect(store.list()).toHaveLength(2);
});

describe('[C-2] objects that reconcilers read', () => {
  const read = ({ store }: { store: Store<Thing> }): Thing => {
    const found = store.get('demo/a' as ObjectKey);
    if (found === undefined) throw new Error('there is no demo/a');
    return found;
  };
  const change = (thing: Thing): void => {
    (thing.metadata as { name: string }).name = 'changed';
  };

  test('an object that a reconciler reads, listed or watched, is deeply frozen', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { informer, run } = start(collection);
    const reconcilers = { store: frozenStore(informer.store) };
    void run();
    await settle();
    const listed = read(reconcilers);

    collection.put('a', 2);
    await settle();
    const watched = read(reconcilers);

    expect(() => change(listed)).toThrow(TypeError);
    expect(() => change(watched)).toThrow(TypeError);
    expect(watched).not.toBe(listed);
  });

  test('a copy is deep and may be changed', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { informer, run } = start(collection);
    const reconcilers = { store: frozenStore(informer.store) };
    void run();
    await settle();

    const copy = reconcilers.store.get('demo/a' as ObjectKey, { copy: true });
    if (copy !== undefined) change(copy);

    expect(copy?.metadata.name).toBe('changed');
    expect(read(reconcilers).metadata.name).toBe('a');
  });

  test('objects are not frozen for handlers and index functions', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { informer, run } = start(collection);
    const frozen: boolean[] = [];
    const see = (thing: Thing): void => void frozen.push(Object.isFrozen(thing.metadata));
    informer.addHandler((changes) => {
      for (const { object: thing } of changes) see(thing);
    });
    informer.addIndex('seen', (thing) => {
      see(thing);
      return [];
    });

    void run();
    await settle();

    expect(frozen).toEqual([false, false]);
    expect(Object.isFrozen(read(informer))).toBe(false);
  });

  test('deepFreeze freezes arrays and their items', () => {
    const value = { list: [{ deep: { deeper: 1 } }], none: null };

    deepFreeze(value);

    expect(Object.isFrozen(value.list)).toBe(true);
    expect(Object.isFrozen(value.list[0]?.deep)).toBe(true);
  });
});

describe('[C-5] store.list', () => {
  const store = storeWith(
    object('a', 'one', { app: 'web', tier: 'front' }),
    object('b', 'one', { app: 'db' }),
    object('c', 'two', { app: 'web' }),
    object('d'),
  );

  test.each([
    [undefined, 'abcd'],
    [{}, 'abcd'],
    [{ namespace: 'one' }, 'ab'],
    [{ namespace: 'none' }, ''],
    [{ selector: 'app=web' }, 'ac'],
    [{ selector: 'app!=web' }, 'bd'],
    [{ selector: 'app in (web,db),!tier' }, 'bc'],
    [{ selector: [] }, 'abcd'],
    [{ selector: '' }, 'abcd'],
    [{ namespace: 'one', selector: [{ key: 'tier', operator: 'exists', values: [] }] }, 'a'],
  ] as const)('store.list with %j gives %s', (query, expected) => {
    const found = store.list(query);

    expect(found.map(({ metadata }) => metadata.name).join('')).toBe(expected);
  });

  test('store.list returns a snapshot', async () => {
    const collection = new FakeCollection();
    collection.put('a', 1);
    const { informer, run } = start(collection);
    void run();
    await settle();
    const before = informer.store.list();

    collection.put('b', 1);
    await settle();

    expect(before).toHaveLength(1);
    expect(informer.store.list()).toHaveLength(2);
  });

  test('store.list refuses a selector that cannot be parsed', () => {
    expect(() => store.list({ selector: 'a b' })).toThrow(ConfigurationError);
  });
});

test('[C-5] the error for a read of a stopped cache says that it has stopped', async () => {
  const { informer, run, stop } = start(new FakeCollection(), { name: 'things' });
  const running = run();
  await settle();

  stop();
  await running;

  expect(() => informer.store.list()).toThrow(
    expect.objectContaining({
      code: 'NOT_SYNCED',
      message: expect.stringContaining('things has stopped'),
      context: { resource: 'things' },
    }),
  );
});
