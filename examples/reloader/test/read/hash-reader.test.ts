/** Reads of contents, shared and forgotten. */
import type { KubernetesObject } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import type { Reader } from 'chancery/low-level';
import { describe, expect, test } from 'vitest';
import { HashReader, Limit } from '../../read/hash-reader.ts';

interface Server {
  readonly client: Reader;
  reads: number;
  /** Answers the next waiting read. */
  answer(version: string | undefined): Promise<void>;
  fail(): Promise<void>;
}

function server(): Server {
  const waiting: { resolve(object: unknown): void; reject(error: unknown): void }[] = [];
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const state = {
    reads: 0,
    client: {
      find: () => {
        state.reads++;
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
    } as unknown as Reader,
    answer: async (version: string | undefined) => {
      const metadata = { name: 'a', uid: 'u', resourceVersion: version };
      waiting.shift()?.resolve(version === undefined ? undefined : { metadata });
      await turn();
    },
    fail: async () => {
      waiting.shift()?.reject(new Error('the server is busy'));
      await turn();
    },
  };
  return state;
}

const A = { namespace: 'demo', name: 'a' };
const readerOf = () =>
  new HashReader<KubernetesObject>(
    configMaps,
    ({ metadata }) => `hash-${metadata.resourceVersion}`,
  );
const { signal } = new AbortController();

describe('[reloader R7] one state of an object', () => {
  test('one state of an object is read once for all workloads, and again only after a change', async () => {
    const { client, ...rest } = server();
    const api = Object.assign(rest, { client });
    const reader = readerOf();
    const first = ['u/1', 'u/1', 'u/1'].map((version) =>
      reader.hash(A, version, { client, signal }),
    );
    await api.answer('1');

    expect(await Promise.all(first)).toEqual(['hash-1', 'hash-1', 'hash-1']);
    expect(await reader.hash(A, 'u/1', { client, signal })).toBe('hash-1');
    const next = reader.hash(A, 'u/2', { client, signal });
    await api.answer('2');
    expect(await next).toBe('hash-2');
    expect(reader.size).toBe(1);
  });

  test('a read that returned a newer state than the cache is not repeated when the cache gets that state', async () => {
    const api = server();
    const reader = readerOf();
    const early = reader.hash(A, 'u/1', { client: api.client, signal });
    await api.answer('2');

    expect(await early).toBe('hash-2');
    expect(await reader.hash(A, 'u/2', { client: api.client, signal })).toBe('hash-2');
    expect(api.reads).toBe(1);
  });
});

test('a Secret that is deleted between its event and the read counts as absent', async () => {
  const api = server();
  const reader = readerOf();
  const gone = reader.hash(A, 'u/1', { client: api.client, signal });
  await api.answer(undefined);

  expect(await gone).toBeUndefined();
  expect(reader.size).toBe(0);
});

test('[reloader 29] [reloader R8] a failed read is an error for each workload and is retried, and never means that the object is absent', async () => {
  const api = server();
  const reader = readerOf();
  const both = [1, 2].map(() => reader.hash(A, 'u/1', { client: api.client, signal }));
  const settled = Promise.allSettled(both);
  await api.fail();

  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = reader.hash(A, 'u/1', { client: api.client, signal });
  await api.answer('1');
  expect(await again).toBe('hash-1');
});

test('a shared read that ends with the reconcile of one workload is repeated for the other workload', async () => {
  const api = server();
  const reader = readerOf();
  const ended = new AbortController();
  const first = reader.hash(A, 'u/1', { client: api.client, signal: ended.signal });
  const second = reader.hash(A, 'u/1', { client: api.client, signal });
  ended.abort();
  const failed = expect(first).rejects.toThrow('busy');
  await api.fail();
  await failed;
  await api.answer('1');

  expect(await second).toBe('hash-1');
});

test('the hash of an object that no workload uses any more is dropped from memory', async () => {
  const api = server();
  const reader = readerOf();
  const read = reader.hash(A, 'u/1', { client: api.client, signal });
  await api.answer('1');
  await read;
  reader.forget(A);

  expect(reader.size).toBe(0);
});

test('the number of objects with their content in memory never exceeds the limit', async () => {
  const limit = new Limit(2);
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => setImmediate(resolve));
    running--;
  };
  await Promise.all(Array.from({ length: 9 }, () => limit.run(work)));

  expect(most).toBe(2);
});
