import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { mapInOrder } from '../../operator/controller/run/wakes/mapped-keys.ts';
import { objectKey } from '../../operator/model/object.ts';

const item = (name: string, nth: number) => ({ key: objectKey('demo', name), nth });
const ITEMS = [item('a', 1), item('a', 2), item('b', 1)];

test('[K-10] if the mapping is synchronous, items are passed on at once, in order', () => {
  const taken: string[] = [];

  const answer = mapInOrder(
    ITEMS,
    ({ key, nth }) => `${key}=${nth}`,
    (_item, mapped) => taken.push(mapped),
    () => {},
  );

  expect(answer).toBeUndefined();
  expect(taken).toEqual(['demo/a=1', 'demo/a=2', 'demo/b=1']);
});

test('[K-10] the second change of an object waits until its first change is mapped; other objects do not wait', async () => {
  const begun: string[] = [];
  const taken: string[] = [];
  const first = Promise.withResolvers<void>();

  const answer = mapInOrder(
    ITEMS,
    async ({ key, nth }) => {
      begun.push(`${key}=${nth}`);
      if (begun.length === 1) await first.promise;
      return `${key}=${nth}`;
    },
    (_item, mapped) => taken.push(mapped),
    () => {},
  );
  await settle();
  const meanwhile = [...begun];
  first.resolve();
  await answer;

  expect(meanwhile).toEqual(['demo/a=1', 'demo/b=1']);
  expect(taken).toEqual(['demo/b=1', 'demo/a=1', 'demo/a=2']);
});

test('[K-10] one failed mapping is reported, and the other items are passed on', async () => {
  const failed: unknown[] = [];
  const taken: number[] = [];

  await mapInOrder(
    ITEMS,
    ({ nth, key }) => (key === 'demo/a' && nth === 1 ? Promise.reject(new Error('no')) : nth),
    (_item, mapped) => taken.push(mapped),
    ({ nth }) => failed.push(nth),
  );

  expect([taken.sort(), failed]).toEqual([[1, 2], [1]]);
});
