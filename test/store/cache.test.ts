import { describe, expect, test } from 'vitest';
import type { WatchEvent } from '../../operator/model/entry.ts';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { Cache } from '../../operator/store/cache.ts';
import type { Change } from '../../operator/store/change.ts';

const object = (name: string, resourceVersion: string, uid = `uid-${name}`): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'demo', uid, resourceVersion },
});
const entry = (...of: Parameters<typeof object>): Entry => Entry.of(object(...of));
const event = (
  type: 'ADDED' | 'MODIFIED' | 'DELETED',
  ...of: Parameters<typeof object>
): WatchEvent => ({ type, entry: entry(...of) });

/** What happened, in short: `add a@1`, `delete? b@2` when the delete itself was not seen. */
const told = (changes: readonly Change[]): string[] =>
  changes.map((change) => {
    const { name, resourceVersion } = change.metadata;
    const unsure = change.type === 'delete' && change.finalStateUnknown ? '?' : '';
    return `${change.type}${unsure} ${name}@${resourceVersion}`;
  });

function cacheOf(...items: readonly Entry[]): Cache<KubernetesObject> {
  const cache = new Cache();
  cache.replace(items);
  return cache;
}

describe('[W-15] cache.apply', () => {
  const cases: readonly [string, WatchEvent, string[]][] = [
    ['ADDED of a new one', event('ADDED', 'new', '6'), ['add new@6']],
    ['MODIFIED of an unknown one', event('MODIFIED', 'new', '6'), ['add new@6']],
    ['MODIFIED', event('MODIFIED', 'a', '6'), ['update a@6']],
    ['ADDED of a known one', event('ADDED', 'a', '6'), ['update a@6']],
    ['the same state again', event('MODIFIED', 'a', '5'), []],
    ['an older state', event('MODIFIED', 'a', '4'), []],
    ['a shorter number, which is older', event('MODIFIED', 'a', '4'), []],
    ['an incomparable version', event('MODIFIED', 'a', 'x'), ['update a@x']],
    ['a recreated one', event('ADDED', 'a', '9', 'other'), ['delete? a@5', 'add a@9']],
    ['a predecessor, replayed', event('MODIFIED', 'a', '3', 'older'), []],
    ['DELETED', event('DELETED', 'a', '6'), ['delete a@6']],
    ['DELETED of an unknown one', event('DELETED', 'new', '6'), []],
    ['DELETED of a predecessor, replayed', event('DELETED', 'a', '4', 'older'), []],
    ['DELETED of a successor', event('DELETED', 'a', '8', 'newer'), ['delete? a@5']],
    ['a bookmark', { type: 'BOOKMARK', resourceVersion: '7', initialEventsEnd: false }, []],
  ];

  test.each(cases)('cache.apply handles %s', (_what, given, expected) => {
    const cache = cacheOf(entry('a', '5'));

    const changes = cache.apply(given);

    expect(told(changes)).toEqual(expected);
  });

  test('after cache.apply, the cache has the state that the returned changes describe', () => {
    const cache = cacheOf(entry('a', '5'), entry('b', '5'));

    cache.apply(event('DELETED', 'a', '6'));
    cache.apply(event('MODIFIED', 'b', '7'));

    expect(Array.from(cache.entries?.values() ?? [], (one) => one.object)).toEqual([
      object('b', '7'),
    ]);
  });
});

describe('cache.replace', () => {
  test('cache.replace marks only the first list as initial', () => {
    const cache = new Cache();

    const first = cache.replace([entry('a', '1')]);
    const second = cache.replace([entry('a', '1'), entry('b', '2')]);

    expect(first).toMatchObject([{ type: 'add', initial: true }]);
    expect(second).toMatchObject([{ type: 'add', key: 'demo/b', initial: false }]);
  });

  test('[C-13] cache.replace keeps the entry of an unchanged object, and does not report it', () => {
    const cache = cacheOf(entry('a', '1'));
    const before = cache.entries?.values().next().value;

    const changes = cache.replace([entry('a', '1')]);

    expect(changes).toEqual([]);
    expect(cache.entries?.values().next().value).toBe(before);
  });

  test('[C-10] cache.replace reports deletes first, each once, then all other changes in the order of the list', () => {
    const cache = cacheOf(entry('a', '1'), entry('b', '1'), entry('c', '1'));

    const changes = cache.replace([entry('d', '4'), entry('b', '3')]);

    expect(told(changes)).toEqual(['delete? a@1', 'delete? c@1', 'add d@4', 'update b@3']);
  });

  test('[C-12] cache.replace reports an object with the same name and another uid as a delete and an add', () => {
    const cache = cacheOf(entry('a', '1', 'old'));

    const changes = cache.replace([entry('a', '9', 'new')]);

    expect(told(changes)).toEqual(['delete? a@1', 'add a@9']);
  });

  test('[W-34] cache.replace accepts a list that is older than the cache', () => {
    const cache = cacheOf(entry('a', '900'));

    const changes = cache.replace([entry('a', '20')]);

    expect(told(changes)).toEqual(['update a@20']);
  });

  test('[Q-20] cache.replace marks its updates as found by a list', () => {
    const cache = cacheOf(entry('a', '1'), entry('b', '1'), entry('c', '1'));

    const found = cache.replace([entry('a', '2'), entry('c', '1'), entry('d', '2')]);
    const watched = cache.apply(event('MODIFIED', 'a', '3'));

    const marks = [...found, ...watched].map((change) => {
      return [change.type, change.key, change.type === 'update' && change.relist === true];
    });
    expect(marks).toEqual([
      ['delete', 'demo/b', false],
      ['update', 'demo/a', true],
      ['add', 'demo/d', false],
      ['update', 'demo/a', false],
    ]);
  });

  test('cache.replace with an empty list deletes everything', () => {
    const cache = cacheOf(entry('a', '1'), entry('b', '1'));

    const changes = cache.replace([]);

    expect(told(changes)).toEqual(['delete? a@1', 'delete? b@1']);
    expect(cache.entries?.size).toBe(0);
  });
});
