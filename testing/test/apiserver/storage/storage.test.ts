import { keyOf, objectKey } from 'chancery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';
import { Storage } from '../../../src/apiserver/storage/storage.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';

function object(name: string, value = 0): StoredObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'demo' }, value };
}

function names(objects: readonly StoredObject[] | undefined): readonly string[] | undefined {
  return objects?.map(({ metadata }) => metadata.name);
}

test('[F-1] every change of any resource takes the next revision', () => {
  const storage = new Storage({ historyLimit: 10 });
  const before = storage.revision;

  const put = storage.put('configmaps', object('a'));
  storage.put('secrets', object('a'));
  const deleted = storage.delete('configmaps', keyOf(put));

  expect(put.metadata.resourceVersion).toBe(String(before + 1));
  expect(deleted?.metadata.resourceVersion).toBe(String(before + 3));
  expect(storage.revision).toBe(before + 3);
});

test('objects are listed in the byte order of namespace/name', () => {
  const storage = new Storage({ historyLimit: 10 });
  for (const [namespace, name] of [
    ['b', 'a'],
    ['a-b', 'x'],
    ['a', 'z'],
    ['a', 'b'],
  ] as const) {
    storage.put('configmaps', { ...object(name), metadata: { name, namespace } });
  }

  const listed = storage.list('configmaps').map(keyOf);

  expect(listed).toEqual(['a-b/x', 'a/b', 'a/z', 'b/a']);
});

test('a watch from a resourceVersion before the first object of a resource gets this object as an event', () => {
  const storage = new Storage({ historyLimit: 10 });
  const before = storage.revision;

  storage.put('configmaps', object('a'));

  expect(storage.eventsAfter('configmaps', before)).toHaveLength(1);
});

test('a listener that writes does not change the order of events for other listeners', () => {
  const storage = new Storage({ historyLimit: 10 });
  const heard: string[] = [];
  storage.subscribe((_resource, { object: { metadata } }) => {
    if (metadata.name === 'a') storage.put('configmaps', object('b'));
  });
  storage.subscribe((_resource, { object: { metadata } }) => heard.push(metadata.name));

  storage.put('configmaps', object('a'));

  expect(heard).toEqual(['a', 'b']);
});

test('lists cannot read compacted history, but watches can still resume from the watch window', () => {
  const storage = new Storage({ historyLimit: 10 });
  storage.put('configmaps', object('a'));
  const old = storage.revision;
  storage.put('configmaps', object('b'));

  storage.compact();

  expect(storage.listAt('configmaps', old)).toBeUndefined();
  expect(storage.historyAfter('configmaps', old)).toBeUndefined();
  expect(storage.eventsAfter('configmaps', old)).toHaveLength(1);
  expect(names(storage.listAt('configmaps', storage.revision))).toEqual(['a', 'b']);
});

test('after the watch windows were restarted, no earlier watch resumes, and old lists still work', () => {
  const storage = new Storage();
  storage.put('configmaps', object('a'));
  const old = storage.revision;
  storage.put('configmaps', object('b'));
  storage.put('secrets', object('a'));

  storage.restartWindows('configmaps');

  expect(storage.eventsAfter('configmaps', old)).toBeUndefined();
  expect(storage.oldestRevision('configmaps')).toBe(storage.revision);
  expect(storage.eventsAfter('secrets', old)).toHaveLength(1);
  expect(names(storage.listAt('configmaps', old))).toEqual(['a']);
});

test('[F-2] history older than five minutes is compacted every five minutes', () => {
  const clock = new FakeClock();
  const storage = new Storage({ clock });
  storage.put('configmaps', object('a'));
  const first = storage.revision;
  clock.advance(300_000);
  storage.put('configmaps', object('b'));
  const second = storage.revision;

  clock.advance(299_999);
  const before = names(storage.listAt('configmaps', first));
  clock.advance(1);
  const after = storage.listAt('configmaps', first - 1);

  expect(before).toEqual(['a']);
  expect(after).toBeUndefined();
  expect(names(storage.listAt('configmaps', first))).toEqual(['a']);
  clock.advance(300_000);
  expect(storage.listAt('configmaps', first)).toBeUndefined();
  expect(names(storage.listAt('configmaps', second))).toEqual(['a', 'b']);
});

test('[F-2] with compactionIntervalMs 0, history is never compacted automatically', () => {
  const clock = new FakeClock();
  const storage = new Storage({ clock, compactionIntervalMs: 0 });
  storage.put('configmaps', object('a'));
  const first = storage.revision;
  storage.put('configmaps', object('b'));

  clock.advance(86_400_000);

  expect(names(storage.listAt('configmaps', first))).toEqual(['a']);
});

describe('the window of watch events', () => {
  function write(storage: Storage, count: number): void {
    for (let i = 0; i < count; i++) storage.put('configmaps', object('a', i));
  }

  test('[F-2] the watch window holds a hundred events, and drops the oldest events after some time', () => {
    const clock = new FakeClock();
    const storage = new Storage({ clock, compactionIntervalMs: 0 });
    const start = storage.revision;
    write(storage, 100);
    clock.advance(75_000);

    const full = storage.eventsAfter('configmaps', start);
    write(storage, 1);

    expect(full).toHaveLength(100);
    expect(storage.eventsAfter('configmaps', start)).toBeUndefined();
    expect(storage.oldestRevision('configmaps')).toBe(start + 1);
    expect(storage.eventsAfter('configmaps', start + 1)).toHaveLength(100);
  });

  test('[F-2] the watch window grows rather than drop an event younger than 75 seconds', () => {
    const clock = new FakeClock();
    const storage = new Storage({ clock });
    const start = storage.revision;
    write(storage, 100);
    clock.advance(74_999);
    write(storage, 900);

    expect(storage.eventsAfter('configmaps', start)).toHaveLength(1_000);
  });

  test('[F-2] the watch window shrinks when a quarter of its size is enough', () => {
    const clock = new FakeClock();
    const storage = new Storage({ clock, watchWindow: { minEvents: 4 }, compactionIntervalMs: 0 });
    const start = storage.revision;
    write(storage, 16);
    clock.advance(75_001);
    write(storage, 1);

    expect(storage.oldestRevision('configmaps')).toBeGreaterThanOrEqual(start + 9);
    clock.advance(75_001);
    write(storage, 8);
    expect(storage.eventsAfter('configmaps', storage.revision - 5)).toHaveLength(5);
  });

  test('[F-2] a watch can resume from at most the last historyLimit events', () => {
    const storage = new Storage({ clock: new FakeClock(), historyLimit: 50 });
    const start = storage.revision;

    write(storage, 1_000);

    expect(storage.oldestRevision('configmaps')).toBe(start + 950);
    expect(storage.retainedEvents('configmaps')).toBeLessThanOrEqual(100);
    expect(storage.listAt('configmaps', start + 949)).toBeUndefined();
    expect(storage.listAt('configmaps', start + 950)).toHaveLength(1);
  });

  test('the earliest revision from which a watch can resume is the revision before the first event in the window', () => {
    const storage = new Storage({ clock: new FakeClock(), historyLimit: 1 });
    storage.put('configmaps', object('a'));
    storage.put('secrets', object('a'));
    storage.put('configmaps', object('b'));

    expect(storage.oldestRevision('configmaps')).toBe(storage.revision - 1);
  });
});

describe('snapshots of the storage', () => {
  test('a restore brings back objects, revision and history, and the next change takes the next revision', () => {
    const storage = new Storage();
    storage.put('configmaps', object('a', 1));
    const early = storage.revision;
    storage.put('configmaps', object('a', 2));
    const snapshot = storage.snapshot();
    storage.put('configmaps', object('a', 3));
    storage.put('configmaps', object('b'));
    storage.delete('configmaps', objectKey('demo', 'a'));

    storage.restore(snapshot);

    expect(storage.revision).toBe(snapshot.revision);
    expect(storage.list('configmaps').map(({ value }) => value)).toEqual([2]);
    expect(storage.listAt('configmaps', early)?.map(({ value }) => value)).toEqual([1]);
    expect(storage.put('configmaps', object('c')).metadata.resourceVersion).toBe(
      String(snapshot.revision + 1),
    );
  });

  test('later writes do not change a snapshot, which can be restored more than once', () => {
    const storage = new Storage();
    storage.put('configmaps', object('a'));
    const snapshot = storage.snapshot();

    storage.put('configmaps', object('b'));
    storage.restore(snapshot);
    storage.put('configmaps', object('c'));
    storage.restore(snapshot);

    expect(names(storage.list('configmaps'))).toEqual(['a']);
  });

  test('after a restore, no watch resumes from an earlier revision', () => {
    const storage = new Storage();
    storage.put('configmaps', object('a'));
    const old = storage.revision;
    storage.put('configmaps', object('b'));

    storage.restore(storage.snapshot());

    expect(storage.eventsAfter('configmaps', old)).toBeUndefined();
    expect(storage.eventsAfter('configmaps', storage.revision)).toEqual([]);
  });

  test('a restore sends one event per changed object, deletions first, and two events if the uid has changed', () => {
    const storage = new Storage();
    const uid = (name: string, value: string) => ({
      ...object(name),
      metadata: { ...object(name).metadata, uid: value },
    });
    storage.put('configmaps', uid('same', '1'));
    storage.put('configmaps', uid('changed', '2'));
    storage.put('configmaps', uid('again', '3'));
    storage.put('configmaps', uid('gone', '4'));
    const snapshot = storage.snapshot();
    storage.put('configmaps', uid('changed', '2'));
    storage.put('configmaps', uid('again', '33'));
    storage.delete('configmaps', objectKey('demo', 'gone'));
    storage.put('configmaps', uid('new', '5'));
    const heard: string[] = [];
    storage.subscribe((_resource, { type, object: { metadata } }) => {
      heard.push(`${type} ${metadata.name} ${metadata.uid}`);
    });

    storage.restore(snapshot);

    expect(heard).toEqual([
      'DELETED again 33',
      'DELETED new 5',
      'MODIFIED changed 2',
      'ADDED again 3',
      'ADDED gone 4',
    ]);
  });
});

describe('the storage after any sequence of changes', () => {
  const change = fc.record({
    resource: fc.constantFrom('configmaps', 'secrets'),
    namespace: fc.constantFrom('demo', 'demo-2'),
    name: fc.constantFrom('a', 'b', 'c'),
    remove: fc.boolean(),
    restore: fc.integer({ min: 0, max: 20 }),
    afterMs: fc.constantFrom(0, 1_000, 80_000, 400_000),
  });
  const limits = fc.integer({ min: 1, max: 8 });

  /** A storage, and what a plain map says should be in it at each revision. */
  function written(
    changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
    historyLimit: number,
  ) {
    const clock = new FakeClock();
    const storage = new Storage({ clock, historyLimit });
    let model = new Map<string, StoredObject>();
    const seen = new Map([[storage.revision, [] as readonly StoredObject[]]]);
    const saved = { snapshot: storage.snapshot(), model: new Map(model) };
    changes.forEach(({ resource, namespace, name, remove, restore, afterMs }, value) => {
      clock.advance(afterMs);
      if (restore === 0) {
        storage.restore(saved.snapshot);
        model = new Map(saved.model);
        for (const revision of seen.keys()) if (revision > storage.revision) seen.delete(revision);
      }
      const key = `${namespace}/${name}`;
      const one = { ...object(name, value), metadata: { name, namespace } };
      const stored = remove
        ? storage.delete(resource, objectKey(namespace, name))
        : storage.put(resource, one);
      if (resource === 'configmaps' && remove) model.delete(key);
      if (resource === 'configmaps' && !remove && stored) model.set(key, stored);
      const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
      seen.set(storage.revision, sorted);
      if (restore === 20) {
        saved.snapshot = storage.snapshot();
        saved.model = new Map(model);
      }
    });
    return { storage, seen };
  }

  test('[F-1] the storage has the same objects as a plain map, in the same order, now and at each known revision', () => {
    fc.assert(
      fc.property(fc.array(change), limits, (changes, historyLimit) => {
        const { storage, seen } = written(changes, historyLimit);

        for (const [revision, list] of seen) {
          const past = storage.listAt('configmaps', revision);
          if (past === undefined) continue;
          expect(past).toEqual(list);
          const inDemo = list.filter(({ metadata }) => metadata.namespace === 'demo');
          expect(storage.listAt('configmaps', revision, 'demo')).toEqual(inDemo);
          for (const one of list) {
            expect(storage.getAt('configmaps', revision, keyOf(one))).toBe(one);
          }
        }
        expect(storage.list('configmaps')).toEqual(seen.get(storage.revision));
        expect(storage.listAt('configmaps', storage.revision)).toEqual(seen.get(storage.revision));
        expect(storage.retainedEvents('configmaps')).toBeLessThanOrEqual(2 * historyLimit);
      }),
    );
  });

  test('[F-2] the events since a revision equal the difference between the list at that revision and the current list', () => {
    fc.assert(
      fc.property(fc.array(change), limits, (changes, historyLimit) => {
        const { storage, seen } = written(changes, historyLimit);

        for (const [revision, list] of seen) {
          for (const events of [
            storage.eventsAfter('configmaps', revision),
            storage.historyAfter('configmaps', revision),
          ]) {
            if (events === undefined) continue;
            const now = new Map(list.map((one) => [keyOf(one), one]));
            for (const { type, key, object: after, previous } of events) {
              expect(now.get(key)).toBe(previous);
              expect(type === 'ADDED').toBe(previous === undefined);
              if (type === 'DELETED') now.delete(key);
              else now.set(key, after);
            }
            expect(new Set(now.values())).toEqual(new Set(storage.list('configmaps')));
          }
        }
        expect(storage.eventsAfter('configmaps', storage.revision)).toEqual([]);
      }),
    );
  });
});
