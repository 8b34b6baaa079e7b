/** First lists, relists and polls wait behind live changes. */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import { objectKey } from '../../operator/model/object.ts';
import { expired } from '../support/fake-collection.ts';
import { others, start, things } from './started-runner.ts';

test('[Q-20] after a restart, a change is reconciled before the objects of the first list', async () => {
  const seen: string[] = [];
  const releases: (() => void)[] = [];
  const { collection, run } = start({
    workers: 2,
    reconcile: async (_object, { key }) => {
      seen.push(key);
      if (seen.length <= 2) await new Promise<void>((resolve) => releases.push(resolve));
    },
  });
  for (let index = 0; index < 1_000; index++) collection(things).put(`${index}`);
  await run();

  collection(things).put('999', 1);
  await settle();
  for (const release of releases) release();
  await settle();

  expect(seen.slice(0, 3)).toEqual(['demo/0', 'demo/1', 'demo/999']);
  expect(seen).toHaveLength(1_000);
});

test('[Q-20] keys that a mapping returns for the first list also have a lower priority than changes', async () => {
  const seen: [string, number][] = [];
  const { collection, run } = start({
    watches: [enqueueMapped(others, ({ value }) => [objectKey('demo', `thing-${value}`)])],
    reconcile: async (_object, { key, priority }) => {
      seen.push([key, priority]);
    },
    gone: (key, { priority }) => {
      seen.push([key, priority]);
    },
  });
  collection(others).put('x', 1);
  await run();

  collection(others).put('y', 2);
  await settle();

  expect(seen).toEqual([
    ['demo/thing-1', -100],
    ['demo/thing-2', 0],
  ]);
});

test('[Q-20] after a new list with 1,000 changes, a later edit is among the next reconciles', async () => {
  const seen: [string, number][] = [];
  const releases: (() => void)[] = [];
  let relisted = false;
  const { clock, collection, run } = start({
    workers: 2,
    reconcile: async (_object, { key, priority }) => {
      if (!relisted) return;
      seen.push([key, priority]);
      if (seen.length <= 2) await new Promise<void>((resolve) => releases.push(resolve));
    },
  });
  for (let index = 0; index < 1_000; index++) collection(things).put(`${index}`);
  await run();

  relisted = true;
  collection(things).newestWatch.fail(expired());
  for (let index = 0; index < 1_000; index++) collection(things).put(`${index}`, 1);
  await clock.advanceAndSettle(5_000);
  collection(things).put('999', 2);
  await settle();
  for (const release of releases) release();
  await settle();

  expect(collection(things).lists.length).toBeGreaterThan(1);
  expect(seen.slice(0, 4)).toEqual([
    ['demo/0', -100],
    ['demo/1', -100],
    ['demo/999', 0],
    ['demo/2', -100],
  ]);
  expect(seen).toHaveLength(1_000);
});

test('[Q-20] objects that were created or deleted according to a new list have the usual priority', async () => {
  const seen: [string, number][] = [];
  const { clock, collection, run } = start({
    reconcile: async (_object, { key, priority }) => {
      seen.push([key, priority]);
    },
    gone: (key, { priority }) => {
      seen.push([key, priority]);
    },
  });
  collection(things).put('changed');
  collection(things).put('deleted');
  await run();
  seen.length = 0;

  collection(things).newestWatch.fail(expired());
  collection(things).put('changed', 1);
  collection(things).remove('deleted');
  collection(things).put('made');
  await clock.advanceAndSettle(5_000);

  expect(seen).toEqual([
    ['demo/deleted', 0],
    ['demo/made', 0],
    ['demo/changed', -100],
  ]);
});

test('[Q-20] keys that are requeued by requeueAfterMs run after changes, unless the result sets a priority', async () => {
  const seen: [string, number][] = [];
  const { clock, collection, run } = start({
    reconcile: async (_object, { key, priority }) => {
      seen.push([key, priority]);
      if (seen.length > 4) return;
      return { requeueAfterMs: 10, ...(key === 'demo/urgent' && { priority: 5 }) };
    },
  });
  await run();
  collection(things).put('polled');
  collection(things).put('urgent');
  await settle();

  await clock.advanceAndSettle(10);

  expect(seen).toEqual([
    ['demo/polled', 0],
    ['demo/urgent', 0],
    ['demo/urgent', 5],
    ['demo/polled', -100],
  ]);
});
