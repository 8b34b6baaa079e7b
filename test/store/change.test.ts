/** What a handler is told of when an object in a change cannot be read. */
import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { Added, type Change, Deleted, Updated } from '../../operator/store/change.ts';
import { Delivery } from '../../operator/store/delivery.ts';
import { plain } from '../support/plain-change.ts';
import { textEntry } from '../support/text-entry.ts';

function objectAt(resourceVersion: string, name = 'a'): KubernetesObject {
  const metadata = { name, namespace: 'demo', uid: `u-${name}`, resourceVersion };
  return { apiVersion: 'v1', kind: 'Thing', metadata: { ...metadata, labels: { app: 'web' } } };
}

const entryAt = (...of: Parameters<typeof objectAt>): Entry => textEntry(objectAt(...of));

/** Its text ends too early. */
function brokenAt(...of: Parameters<typeof objectAt>): Entry {
  const text = JSON.stringify(objectAt(...of));
  return Entry.ofText(entryAt(...of), text.slice(0, -1), text.length - 2);
}

/** What a handler of whole changes has been told of at its last call, and what was reported. */
async function told(...changes: readonly Change[]) {
  const failures: unknown[] = [];
  let last: readonly object[] = [];
  let calls = 0;
  const delivery = new Delivery<KubernetesObject>(
    async (some) => {
      calls++;
      await settle();
      last = some.map(plain);
    },
    (error) => failures.push(error),
  );
  delivery.push(changes);
  await delivery.working;
  return { last, calls, failures };
}

const other = new Added(entryAt('5', 'b'), false);

test.each<[string, (of: typeof entryAt) => Change]>([
  ['add', (of) => new Added(of('1'), true)],
  ['delete', (of) => new Deleted(of('1'), true)],
  ['update', (of) => new Updated(of('2'), of('1'))],
  ['relist', (of) => new Updated(of('2'), of('1'), { relist: true })],
  ['resync', (of) => new Updated(of('2'), of('2'), { resync: true })],
])('a change has the same contents for an unparsed entry as for a parsed entry: %s', async (_, change) => {
  const { last, calls } = await told(change(entryAt));

  expect(last).toEqual([plain(change((...of) => Entry.of(objectAt(...of))))]);
  expect(calls).toBe(1);
});

describe('[C-18] an object that cannot be read', () => {
  test.each<[string, () => Change]>([
    ['add', () => new Added(brokenAt('1'), false)],
    ['update', () => new Updated(brokenAt('2'), entryAt('1'))],
    ['resync', () => new Updated(brokenAt('2'), brokenAt('2'), { resync: true })],
  ])('a change with an unreadable object is skipped, and the other changes are delivered: %s', async (_, change) => {
    const { last, failures, calls } = await told(other, change());

    expect(last).toEqual([plain(other)]);
    expect(failures).toEqual([]);
    expect(calls).toBe(2);
  });

  test('if an unreadable object is the only object in its batch, the handler is not called', async () => {
    const { calls, failures } = await told(new Added(brokenAt('1'), false));

    expect([calls, failures]).toEqual([1, []]);
  });

  test('the delete of an unreadable object is delivered with only its name and versions', async () => {
    const { last } = await told(new Deleted(brokenAt('1'), false), other);

    const { labels: _, ...metadata } = objectAt('1').metadata;
    expect(last).toEqual([
      {
        type: 'delete',
        key: 'demo/a',
        object: { ...objectAt('1'), metadata },
        finalStateUnknown: true,
      },
      plain(other),
    ]);
  });

  test('if the old state of an update is unreadable, the new state takes its place', async () => {
    const { last } = await told(new Updated(entryAt('2'), brokenAt('1'), { relist: true }));

    expect(last).toEqual([
      {
        type: 'update',
        key: 'demo/a',
        object: objectAt('2'),
        old: objectAt('2'),
        relist: true,
      },
    ]);
  });

  test('an unreadable object does not disturb a handler that does not read it', () => {
    const keys: string[] = [];
    const delivery = new Delivery<KubernetesObject>(
      (changes) => void keys.push(...changes.map(({ key }) => key)),
      (error) => expect.fail(String(error)),
    );

    delivery.push([other, new Added(brokenAt('1'), false)]);

    expect(keys).toEqual(['demo/b', 'demo/a']);
  });

  test('an unreadable object does not hide an error of the handler itself', async () => {
    const failures: unknown[] = [];
    const delivery = new Delivery<KubernetesObject>(
      ([change]) => {
        if (change?.object !== undefined) throw new Error('mine');
      },
      (error) => failures.push(error),
    );

    delivery.push([new Added(brokenAt('1'), false), other]);
    delivery.push([other]);
    await settle();

    expect(failures).toEqual([new Error('mine'), new Error('mine')]);
  });
});
