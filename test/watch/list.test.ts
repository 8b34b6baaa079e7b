import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { listAll } from '../../operator/watch/list.ts';
import type { ListPage, ListPageRequest } from '../../operator/watch/list-watch.ts';
import { FakeCollection } from '../support/fake-collection.ts';
import { textEntry } from '../support/text-entry.ts';
import { start } from './started-reflector.ts';

const { signal } = new AbortController();
const latest = { consistency: { kind: 'latest' }, pageSize: 500, signal } as const;
const entry = (name: string, resourceVersion = '1'): Entry =>
  textEntry({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name, uid: `uid-${name}`, resourceVersion },
  });

/** A source whose pages are written down, or made from their number. */
function pages(page: (index: number) => Partial<ListPage<KubernetesObject>> | Error) {
  const requests: ListPageRequest[] = [];
  return {
    requests,
    async listPage(request: ListPageRequest): Promise<ListPage<KubernetesObject>> {
      const made = page(requests.push(request) - 1);
      if (made instanceof Error) throw made;
      return { items: [], resourceVersion: '9', continueToken: undefined, ...made };
    },
  };
}
const names = (items: readonly Entry[]): string[] => items.map(({ key }) => key);

test('[L-3] a list of 12,345 objects takes 25 requests to one path, and misses no object', async () => {
  const source = pages((index) => ({
    items: Array.from({ length: index === 24 ? 345 : 500 }, (_, at) => entry(`${index}-${at}`)),
    continueToken: index === 24 ? undefined : `token-${index}`,
  }));

  const list = await listAll(source, latest);

  expect(source.requests).toHaveLength(25);
  expect(source.requests[7]?.continueToken).toBe('token-6');
  expect(new Set(names(list.items)).size).toBe(12_345);
});

test.each([
  ['ignores the limit', [{ items: ['a', 'b', 'c'] }], ['a', 'b', 'c']],
  ['returns too few objects', [{ items: ['a'], next: 'x' }, { items: ['b'] }], ['a', 'b']],
  ['returns an empty page', [{ items: [], next: 'x' }, { items: ['b'] }], ['b']],
] as const)('[L-4] a list from a server that %s is read correctly', async (_, answers, expected) => {
  const source = pages((index) => {
    const { items, next } = answers[index] as { items: readonly string[]; next?: string };
    return { items: items.map((name) => entry(name)), continueToken: next };
  });

  const list = await listAll(source, { ...latest, pageSize: 2 });

  expect(names(list.items)).toEqual(expected);
});

test('[L-5] the continue token in a 410 is never sent, and a second 410 fails the list', async () => {
  const gone = new ApiError({ code: 410, reason: 'Expired' });
  const source = pages((index) => (index < 2 ? { continueToken: `t${index}` } : gone));

  const listing = listAll(source, latest);

  await expect(listing).rejects.toBe(gone);
  expect(source.requests.map(({ continueToken }) => continueToken)).toEqual([
    undefined,
    't0',
    't1',
    undefined,
  ]);
});

test('[L-7] the resourceVersion of a list is taken from its first page', async () => {
  const source = pages((index) => ({
    resourceVersion: `${10 + index}`,
    continueToken: index < 2 ? `t${index}` : undefined,
  }));

  expect((await listAll(source, latest)).resourceVersion).toBe('10');
});

test('[L-10] the last state of an object on two pages is used, and the duplicate is reported', async () => {
  const source = pages((index) => ({
    items: [entry('a', `${index + 1}`), entry(`only-${index}`)],
    continueToken: index === 0 ? 't' : undefined,
  }));

  const list = await listAll(source, latest);

  expect(list.duplicates).toEqual(['a']);
  expect(list.items.find(({ key }) => key === 'a')?.resourceVersion).toBe('2');
});

test('[L-10] duplicates in a list are counted and reported, and do not fail the list', async () => {
  const collection = new FakeCollection();
  collection.put('a');
  const page = collection.listPage.bind(collection);
  collection.listPage = async (request) => {
    const { items, ...more } = await page(request);
    return { ...more, items: [...items, ...items] };
  };
  const { meter, notices, names: cached } = start({}, collection);
  await settle();

  expect(cached()).toEqual(['demo/a']);
  expect(notices).toEqual([{ kind: 'duplicates', keys: ['demo/a'] }]);
  expect(meter.value('chancery_list_duplicates_total')).toBe(1);
});

test('[L-15] reading a hundred pages from memory does not block the event loop', async () => {
  let turns = 0;
  let counting = true;
  const turn = (): void => {
    turns++;
    if (counting) setImmediate(turn);
  };
  setImmediate(turn);
  const source = pages((index) => ({
    items: Array.from({ length: 500 }, (_, at) => entry(`${index}-${at}`)),
    continueToken: index < 99 ? `t${index}` : undefined,
  }));

  await listAll(source, latest);
  counting = false;

  expect(turns).toBeGreaterThanOrEqual(20);
});

test.each([
  ['a token that repeats', () => ({ continueToken: 'same' }), 2],
  ['tokens that repeat in a circle', (index: number) => ({ continueToken: `${index % 3}` }), 4],
  ['pages without new objects', (index: number) => ({ continueToken: `${index}` }), 1_000],
  [
    'the same page again and again',
    (index: number) => ({ items: [entry('a')], continueToken: `${index}` }),
    1_001,
  ],
] as const)('an endless list with %s causes an error', async (_, page, requests) => {
  const source = pages(page);

  await expect(listAll(source, latest)).rejects.toMatchObject({ code: 'DECODE' });

  expect(source.requests).toHaveLength(requests);
});

test('lists with NotOlderThan, and lists of any state, are requested without pages', async () => {
  const source = pages(() => ({}));

  const since = { kind: 'not-older-than', resourceVersion: '7' } as const;
  await listAll(source, { ...latest, consistency: since });
  await listAll(source, { ...latest, consistency: { kind: 'any' } });

  expect(source.requests.map(({ limit }) => limit)).toEqual([0, 0]);
});

describe('page sizes for a sink that takes pages', () => {
  const taking = { ...latest, takePage: (items: readonly Entry[]) => items };
  const limits = ({ requests }: { readonly requests: readonly ListPageRequest[] }): number[] =>
    requests.map(({ limit }) => limit);
  /** So many objects as are asked for, each of so many bytes. */
  const sized = (bytes: (index: number) => number, pageCount: number) => {
    const source = pages((index) => {
      const { limit = 0 } = source.requests[index] ?? {};
      return {
        items: Array.from({ length: limit }, (_, at) => entry(`${index}-${at}`)),
        itemBytes: limit * bytes(index),
        continueToken: index < pageCount - 1 ? `t${index}` : undefined,
      };
    });
    return source;
  };

  test('pages of large objects contain few objects, and pages of small objects contain many', async () => {
    const [large, small] = [sized(() => 1_300_000, 4), sized(() => 720, 5)];

    await listAll(large, taking);
    await listAll(small, taking);

    expect(limits(large)).toEqual([10, 3, 3, 3]);
    expect(limits(small)).toEqual([10, 50, 250, 500, 500]);
  });

  test('the page size shrinks again when large objects follow small ones', async () => {
    const source = sized((index) => (index < 2 ? 720 : 1_300_000), 5);

    await listAll(source, taking);

    expect(limits(source)).toEqual([10, 50, 250, 3, 3]);
  });

  test('pages are also requested if the source reports no sizes, whatever the consistency', async () => {
    const source = pages((index) => ({
      items: [entry(`${index}`)],
      continueToken: index < 4 ? `t${index}` : undefined,
    }));
    const consistency = { kind: 'not-older-than', resourceVersion: '3' } as const;

    await listAll(source, { ...taking, consistency });

    expect(limits(source)).toEqual([10, 50, 250, 500, 500]);
  });

  test('a page has a single object when each object is larger than a page', async () => {
    const source = sized(() => 50_000_000, 3);

    await listAll(source, taking);

    expect(limits(source)).toEqual([10, 1, 1]);
  });

  test('the next page is requested only after takePage has ended, and the list has the objects that takePage returned', async () => {
    const { promise: gate, resolve } = Promise.withResolvers<void>();
    const taken: (readonly [readonly string[], boolean])[] = [];
    const source = pages((index) => ({
      items: [entry(`${index}`)],
      continueToken: index < 1 ? 't' : undefined,
    }));

    const listing = listAll(source, {
      ...latest,
      takePage: async (items, first) => {
        taken.push([names(items), first]);
        await gate;
        return items.map(({ metadata }) => entry(`kept-${metadata.name}`));
      },
    });
    await settle();
    const { length: askedWhileTaking } = source.requests;
    resolve();
    const list = await listing;

    expect(askedWhileTaking).toBe(1);
    expect(taken).toEqual([
      [['0'], true],
      [['1'], false],
    ]);
    expect(names(list.items)).toEqual(['kept-0', 'kept-1']);
  });

  test('if the token of a paged list expires, the list fails, and no unpaged list follows', async () => {
    const gone = new ApiError({ code: 410, reason: 'Expired' });
    const source = pages((index) => (index < 1 ? { continueToken: 't' } : gone));

    await expect(listAll(source, taking)).rejects.toBe(gone);

    expect(limits(source)).toEqual([10, 50]);
  });
});
