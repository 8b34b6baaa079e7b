/** That the simple path is what the tests of its project run on: see `vitest.config.ts`. */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { HeldObject, readObject } from '../../operator/model/held-object.ts';
import { heldObject } from '../../operator/stream/held-object-text.ts';
import { scanIdentity } from '../../operator/stream/scan-identity.ts';
import { start } from '../store/started-informer.ts';
import { TextCollection } from '../support/text-collection.ts';

test('nothing is told without parsing it', () => {
  const bytes = Buffer.from(
    '{"kind":"A","apiVersion":"v1","metadata":{"name":"a","uid":"u","resourceVersion":"1"}}',
  );

  expect(scanIdentity(bytes, 0, bytes.length, true)).toBeUndefined();
});

test('nothing can be held', () => {
  expect(heldObject).toThrow('an object is held on the simple path');
});

test('what is listed and watched is parsed, though whoever keeps it asks for it to be held', async () => {
  const collection = new TextCollection();
  const { informer, run } = start(collection);
  const told: unknown[] = [];
  informer.addHandler((changes) => void told.push(...changes.map(({ object }) => object)), {
    held: true,
  });
  collection.put('a', 1);
  void run();
  await settle();
  collection.put('b', 2);
  await settle();

  const cached = [...informer.entries()].map(([, object]) => object);

  expect(cached.map(({ value }) => value)).toEqual([1, 2]);
  for (const object of [...cached, ...told]) expect(object).not.toBeInstanceOf(HeldObject);
  expect(cached.map((object) => readObject(object))).toEqual(collection.objects);
});
