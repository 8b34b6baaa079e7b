/** That the held path is what the tests of its project run on: see `vitest.config.ts`. */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { start } from '../store/started-informer.ts';
import { unread } from '../support/held-text.ts';

test('what is listed and watched is held until somebody reads it', async () => {
  const { collection, informer, run } = start();
  collection.put('a', 1);
  void run();
  await settle();
  collection.put('b', 2);
  await settle();
  const cached = [...informer.entries()].map(([, object]) => object);

  const before = unread(cached);
  const values = informer.store.list().map(({ value }) => value);

  expect(before).toEqual(['a', 'b']);
  expect(values).toEqual([1, 2]);
  expect(unread(cached)).toEqual([]);
});
