import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf, objectKey } from '../../../../operator/model/object.ts';
import type { StoredObject } from '../../../../operator/testing/apiserver/cluster-access.ts';
import { Storage } from '../../../../operator/testing/apiserver/storage/storage.ts';

function object(name: string, value = 0): StoredObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'demo' }, value };
}

function names(objects: readonly StoredObject[] | undefined): readonly string[] | undefined {
  return objects?.map(({ metadata }) => metadata.name);
}

test('every change of any resource takes the next revision', () => {
  const storage = new Storage({ historyLimit: 10 });
  const before = storage.revision;

  const put = storage.put('configmaps', object('a'));
  storage.put('secrets', object('a'));
  const deleted = storage.delete('configmaps', keyOf(put));

  expect(put.metadata.resourceVersion).toBe(String(before + 1));
  expect(deleted?.metadata.resourceVersion).toBe(String(before + 3));
  expect(storage.revision).toBe(before + 3);
});

test('objects are listed in the order of the bytes of namespace/name', () => {
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

test('the first object of a resource is an event after every earlier revision', () => {
  const storage = new Storage({ historyLimit: 10 });
  const before = storage.revision;

  storage.put('configmaps', object('a'));

  expect(storage.eventsAfter('configmaps', before)).toHaveLength(1);
});

test('a listener that writes does not overtake the event that it heard', () => {
  const storage = new Storage({ historyLimit: 10 });
  const heard: string[] = [];
  storage.subscribe((_resource, { object: { metadata } }) => {
    if (metadata.name === 'a') storage.put('configmaps', object('b'));
  });
  storage.subscribe((_resource, { object: { metadata } }) => heard.push(metadata.name));

  storage.put('configmaps', object('a'));

  expect(heard).toEqual(['a', 'b']);
});

test('nothing is known of what was forgotten', () => {
  const storage = new Storage({ historyLimit: 10 });
  storage.put('configmaps', object('a'));
  const old = storage.revision;
  storage.put('configmaps', object('b'));

  storage.compact();

  expect(storage.eventsAfter('configmaps', old)).toBeUndefined();
  expect(storage.listAt('configmaps', old)).toBeUndefined();
  expect(names(storage.listAt('configmaps', storage.revision))).toEqual(['a', 'b']);
});

describe('after any sequence of changes', () => {
  const change = fc.record({
    resource: fc.constantFrom('configmaps', 'secrets'),
    name: fc.constantFrom('a', 'b', 'c'),
    remove: fc.boolean(),
  });

  test('a past list is what was there, or forgotten, and events lead from it to now', () => {
    fc.assert(
      fc.property(fc.array(change), fc.integer({ min: 1, max: 8 }), (changes, historyLimit) => {
        const storage = new Storage({ historyLimit });
        const seen = [{ revision: storage.revision, list: storage.list('configmaps') }];

        changes.forEach(({ resource, name, remove }, value) => {
          if (remove) storage.delete(resource, objectKey('demo', name));
          else storage.put(resource, object(name, value));
          seen.push({ revision: storage.revision, list: storage.list('configmaps') });
        });

        for (const { revision, list } of seen) {
          const events = storage.eventsAfter('configmaps', revision);
          const past = storage.listAt('configmaps', revision);
          expect(past === undefined).toBe(events === undefined);
          if (past === undefined || events === undefined) continue;
          expect(past).toEqual(list);
          const now = new Map(past.map((one) => [keyOf(one), one]));
          for (const event of events) {
            if (event.type === 'DELETED') now.delete(event.key);
            else now.set(event.key, event.object);
          }
          expect(new Set(now.values())).toEqual(new Set(storage.list('configmaps')));
        }
        expect(storage.eventsAfter('configmaps', storage.revision)).toEqual([]);
      }),
    );
  });
});
