/** The runner waits for its sources, and maps their objects to keys. */

import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import { objectKey } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { optional, others, start, things } from './started-runner.ts';

test('[K-10] a mapping of another source maps the old and the new object', async () => {
  const seen: string[] = [];
  const { collection, run } = start({
    watches: [enqueueMapped(others, ({ value }) => [objectKey('demo', `thing-${value}`)])],
    reconcile: () => {},
    gone: (key) => {
      seen.push(key);
    },
  });
  collection(others).put('x', 1);
  await run();

  collection(others).put('x', 2);
  await settle();
  collection(others).remove('x');
  await settle();

  expect(seen).toEqual(['demo/thing-1', 'demo/thing-1', 'demo/thing-2', 'demo/thing-2']);
});

test('a mapping that throws is logged, and later changes are still mapped', async () => {
  const seen: string[] = [];
  const { collection, lines, run } = start({
    watches: [
      enqueueMapped(others, ({ value }) => {
        if (value === 1) throw new Error('bad mapping');
        return [objectKey('demo', 'mapped')];
      }),
    ],
    reconcile: () => {},
    gone: (key) => {
      seen.push(key);
    },
  });
  collection(others).put('x', 1);
  await run();

  collection(others).put('y', 2);
  await settle();

  expect(seen).toEqual(['demo/mapped']);
  expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('[C-16] a controller reconciles nothing before every source is synced', async () => {
  let calls = 0;
  const { clock, collection, run } = start({
    watches: [enqueueMapped(others, () => [])],
    reconcile: async () => {
      calls++;
    },
  });
  collection(things).put('a');
  collection(others).failLists(new ApiError({ code: 503 }), new ApiError({ code: 503 }));
  await run();

  const early = calls;
  await clock.advanceAndSettle(10_000);

  expect(early).toBe(0);
  expect(calls).toBe(1);
});

test('a controller starts even if an optional source is not served, and uses the source as soon as it is served', async () => {
  const seen: string[] = [];
  const { clock, collection, run } = start({
    watches: [enqueueMapped(optional, () => [objectKey('demo', 'a')])],
    reconcile: async (_object, { store }) => {
      const extras = store(optional);
      seen.push(extras.synced ? `${extras.list().length} extras` : 'no extras');
    },
  });
  collection(things).put('a');
  collection(optional).put('extra');
  collection(optional).failLists(new ApiError({ code: 404 }));
  await run();

  await clock.advanceAndSettle(12_000);

  expect(seen).toEqual(['no extras', '1 extras']);
});

test('[N-2] the error for an undeclared source says what to add to the controller', async () => {
  const errors: unknown[] = [];
  const { collection, run } = start({
    reconcile: async (_object, { store }) => {
      try {
        store(others);
      } catch (error) {
        errors.push(error);
      }
    },
  });
  collection(things).put('a');
  await run();

  expect(errors).toMatchObject([
    {
      code: 'CONFIG',
      message:
        'a reconciler reads a source that its controller does not declare: add others to reads',
      context: { resource: 'others' },
    },
  ]);
});

test('[C-16] sources that are not synced in time are logged once, and the controller keeps waiting', async () => {
  let calls = 0;
  const { clock, collection, lines, run } = start({
    watches: [enqueueMapped(others, () => []), enqueueMapped(optional, () => [])],
    cacheSyncTimeoutMs: 5_000,
    reconcile: async () => {
      calls++;
    },
  });
  collection(things).put('a');
  const refused = (): ApiError =>
    new ApiError({ code: 403, reason: 'Forbidden', message: 'others is forbidden' });
  collection(others).failLists(...Array.from({ length: 20 }, refused));
  collection(optional).failLists(...Array.from({ length: 200 }, () => new ApiError({ code: 404 })));
  await run();

  await clock.advanceAndSettle(4_999);
  const early = lines.filter(({ level }) => level === 'error');
  await clock.advanceAndSettle(300_000);
  const late = lines.filter(({ level }) => level === 'error');
  const before = calls;
  await clock.advanceAndSettle(3_600_000);

  expect(early).toEqual([]);
  expect(late).toMatchObject([
    {
      message: 'sources are not synced, the controller waits for them',
      fields: {
        controller: 'test',
        timeoutMs: 5_000,
        sources: [
          {
            resource: 'others',
            health: 'forbidden',
            error: expect.stringContaining('others is forbidden'),
          },
        ],
      },
    },
  ]);
  expect([before, calls]).toEqual([0, 1]);
});

test('[C-16] a controller waits two minutes before it logs a source that is not synced', async () => {
  const { clock, collection, lines, run } = start({ reconcile: async () => {} });
  collection(things).failLists(...Array.from({ length: 99 }, () => new ApiError({ code: 503 })));
  await run();

  await clock.advanceAndSettle(119_999);
  const early = lines.filter(({ level }) => level === 'error').length;
  await clock.advanceAndSettle(1);

  expect([early, lines.filter(({ level }) => level === 'error').length]).toEqual([0, 1]);
});
