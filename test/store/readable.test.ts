import { expect, test } from 'vitest';
import { HeldObject } from '../../operator/model/held-object.ts';
import { type KubernetesObject, objectKey } from '../../operator/model/object.ts';
import type { Change } from '../../operator/store/cache.ts';
import { Keeping } from '../../operator/store/keeping.ts';
import { readable } from '../../operator/store/readable.ts';
import { cutText } from '../support/cut-text.ts';

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
    cutText(JSON.stringify(objectAt(resourceVersion))),
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

/** Its text ends too early. */
function brokenAt(resourceVersion: string): HeldObject {
  const { textLength } = heldAt(resourceVersion);
  const identity = { apiVersion: 'v1', kind: 'Thing', name: 'a', namespace: 'demo', uid: 'u' };
  const text = JSON.stringify(objectAt(resourceVersion)).slice(0, textLength - 1);
  return new HeldObject({ ...identity, resourceVersion }, cutText(text));
}

const OTHER = objectKey('demo', 'b');
const other: Change = { type: 'add', key: OTHER, object: objectAt('5'), initial: false };

test.each<[string, Change]>([
  ['add', { type: 'add', key: KEY, object: brokenAt('1'), initial: false }],
  ['update', { type: 'update', key: KEY, object: brokenAt('2'), old: objectAt('1') }],
  ['resync', { type: 'update', key: KEY, object: brokenAt('2'), old: brokenAt('2'), resync: true }],
])('a change whose object cannot be read is left out, and no other: %s', (_, change) => {
  expect(readable([change, other])).toEqual([other]);
});

test('a delete is told of though its object cannot be read, with no more than its name', () => {
  const change: Change = {
    type: 'delete',
    key: KEY,
    object: brokenAt('1'),
    finalStateUnknown: false,
  };

  const [told, more] = readable([change, other]);

  const { labels: _, ...metadata } = objectAt('1').metadata;
  expect(told).toEqual({
    type: 'delete',
    key: KEY,
    object: { ...objectAt('1'), metadata },
    finalStateUnknown: true,
  });
  expect(more).toEqual(other);
});

test('an update from a state that cannot be read shows no difference', () => {
  const object = heldAt('2');

  const [told] = readable([{ type: 'update', key: KEY, object, old: brokenAt('1') }]);

  expect(told).toEqual({ type: 'update', key: KEY, object: objectAt('2'), old: objectAt('2') });
});

test('changes that hold no text are handed on as they are', () => {
  const changes: Change[] = [{ type: 'add', key: KEY, object: objectAt('1'), initial: false }];

  expect(readable(changes)).toBe(changes);
});

test.each([true, false])('what is held is frozen when it is read, all the way: %s', (freeze) => {
  const [held, plain] = [heldAt('1'), objectAt('1')];
  const keeping = new Keeping(freeze, () => {});

  keeping.keep(held);
  keeping.keep(plain);

  expect(held.textLength).toBeGreaterThan(0);
  expect(held.read()).toEqual(plain);
  for (const object of [held.read(), plain]) {
    expect(Object.isFrozen(object)).toBe(freeze);
    expect(Object.isFrozen(object.metadata.labels)).toBe(freeze);
  }
});

test('whoever keeps an object is told that it cannot be read', () => {
  const told: string[] = [];
  const broken = brokenAt('1');
  new Keeping(true, ({ message }) => told.push(message)).keep(broken);

  readable([{ type: 'add', key: KEY, object: broken, initial: false }]);
  readable([{ type: 'add', key: KEY, object: broken, initial: false }]);

  expect(told).toEqual(['an object is not JSON']);
});
