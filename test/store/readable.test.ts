import { expect, test } from 'vitest';
import { HeldObject } from '../../operator/model/held-object.ts';
import { type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import type { Change } from '../../operator/store/cache.ts';
import { freezeObject } from '../../operator/store/freeze.ts';
import { ReadableObjects, readable } from '../../operator/store/readable.ts';

const KEY = objectKey('demo', 'a');

function objectAt(resourceVersion: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'demo', uid: 'u', resourceVersion, labels: { app: 'web' } },
  };
}

function heldAt(resourceVersion: string): HeldObject {
  const identity = { apiVersion: 'v1', kind: 'Thing', name: 'a', namespace: 'demo', uid: 'u' };
  return new HeldObject(
    { ...identity, resourceVersion },
    JSON.stringify(objectAt(resourceVersion)),
  );
}

test.each<[string, (of: typeof objectAt) => Change]>([
  ['add', (of) => ({ type: 'add', key: KEY, object: of('1'), initial: true })],
  ['delete', (of) => ({ type: 'delete', key: KEY, object: of('1'), finalStateUnknown: true })],
  ['update', (of) => ({ type: 'update', key: KEY, object: of('2'), old: of('1') })],
  ['relist', (of) => ({ type: 'update', key: KEY, object: of('2'), old: of('1'), relist: true })],
  ['resync', (of) => ({ type: 'update', key: KEY, object: of('2'), old: of('2'), resync: true })],
])('a change that holds text looks like one that never did: %s', (_, change) => {
  const [shown] = readable([change(heldAt)]);

  expect(shown).toEqual(change(objectAt));
  expect({ ...shown }).toEqual({ ...change(objectAt) });
});

test('nothing is read before somebody looks', () => {
  const [object, old] = [heldAt('2'), heldAt('1')];
  const [shown] = readable([{ type: 'update', key: KEY, object, old }]);

  const before = [object.textLength > 0, old.textLength > 0];
  const name = shown?.object.metadata.name;

  expect(before).toEqual([true, true]);
  expect(name).toBe('a');
  expect([object.textLength > 0, old.textLength > 0]).toEqual([false, true]);
});

test('changes that hold no text are handed on as they are', () => {
  const changes: Change[] = [{ type: 'add', key: KEY, object: objectAt('1'), initial: false }];

  expect(readable(changes)).toBe(changes);
});

test('a cache is shown as the map that it would be without text', () => {
  const held = new Map<typeof KEY, KubernetesObject>([[KEY, heldAt('1')]]);
  const plain = new Map([[KEY, objectAt('1')]]);
  const shown = new ReadableObjects(held);

  const told: [string, KubernetesObject][] = [];
  shown.forEach((object, key) => {
    told.push([key, object]);
  });

  expect(new Map(shown)).toEqual(plain);
  expect([...shown.values()]).toEqual([...plain.values()]);
  expect([...shown.keys()]).toEqual([KEY]);
  expect(told).toEqual([...plain]);
  expect([shown.size, shown.has(KEY), shown.get(objectKey('demo', 'b'))]).toEqual([
    1,
    true,
    undefined,
  ]);
  expect(shown.get(KEY)).toBe(shown.get(KEY));
});

test('what is held is frozen when it is read, all the way', () => {
  const [held, plain] = [heldAt('1'), objectAt('1')];

  freezeObject(held);
  freezeObject(plain);

  expect(held.textLength).toBeGreaterThan(0);
  expect(held.read()).toEqual(plain);
  for (const object of [held.read(), plain]) {
    expect(Object.isFrozen(object)).toBe(true);
    expect(Object.isFrozen(object.metadata.labels)).toBe(true);
  }
});
