import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Client, Versioned } from '../../operator/client/client.ts';
import { decorateClient } from '../../operator/client/client-decorator.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { signalledClient } from '../../operator/client/signalled-client.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { type CannedTransport, cannedTransport } from './canned-transport.ts';

const target = { namespace: 'demo', name: 'a' };
const object: Versioned<ConfigMap> & { readonly metadata: { readonly uid: string } } = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...target, uid: 'u1', resourceVersion: '7' },
};
const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items: [] };

function clientAndTransport(): [Client, CannedTransport] {
  const transport = cannedTransport(({ method, path }) => ({
    body: method === 'GET' && path.includes('configmaps?') ? list : object,
  }));
  return [restClient({ transport, fieldManager: 'tester', clock: new FakeClock() }), transport];
}

/** Every method of a client, and what it is to those around it. */
const CALLS: readonly [
  string,
  string,
  (client: Client, signal?: AbortSignal) => Promise<unknown>,
][] = [
  ['get', 'read', (client, signal) => client.get(configMaps, target, { signal })],
  ['find', 'read', (client, signal) => client.find(configMaps, target, { signal })],
  ['list', 'read', (client, signal) => client.list(configMaps, { namespace: 'demo', signal })],
  ['create', 'write', (client, signal) => client.create(configMaps, object, { signal })],
  ['apply', 'write', (client, signal) => client.apply(configMaps, object, { signal })],
  ['apply', 'write', (client, signal) => client.applyExisting(configMaps, object, { signal })],
  ['update', 'write', (client, signal) => client.update(configMaps, object, { signal })],
  [
    'patch',
    'write',
    (client, signal) => client.patch(configMaps, target, { type: 'merge', body: {} }, { signal }),
  ],
  ['delete', 'remove', (client, signal) => client.delete(configMaps, target, { signal })],
  ['evict', 'remove', (client, signal) => client.evict(target, { signal })],
];

test.each(
  CALLS,
)('a decorated client is asked for %s as a %s, and passes it on', async (verb, kind, call) => {
  const [plain, direct] = clientAndTransport();
  const [inner, decorated] = clientAndTransport();
  const seen: string[] = [];
  const client = decorateClient(inner, {
    read: (asked, next) => {
      seen.push(`${asked.verb} read`);
      return next(asked);
    },
    write: (asked, next) => {
      seen.push(`${asked.verb} write`);
      return next(asked);
    },
    remove: (asked, next) => {
      seen.push(`${asked.verb} remove`);
      return next(asked);
    },
  });

  const [answer, expected] = [await call(client), await call(plain)];
  await call(decorateClient(inner, {}));

  expect(seen).toEqual([`${verb} ${kind}`]);
  expect(answer).toEqual(expected);
  expect(decorated.requests).toEqual([...direct.requests, ...direct.requests]);
});

test('what is around a write may change it', async () => {
  const [inner, transport] = clientAndTransport();
  const client = decorateClient(inner, {
    write: (call, next) => next({ ...call, options: { ...call.options, dryRun: true } }),
  });

  await client.create(configMaps, object);

  expect(transport.requests.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/demo/configmaps?fieldManager=tester&dryRun=All',
  ]);
});

test.each(
  CALLS,
)('the call %s (a %s) without a signal gets that of its client', async (_, __, call) => {
  const [inner, transport] = clientAndTransport();
  const [attempt, own] = [new AbortController(), new AbortController()];
  const client = signalledClient(inner, attempt.signal);

  await call(client);
  await call(client, own.signal);
  attempt.abort(new Error('the attempt is over'));

  expect(transport.requests.map(({ signal }) => signal)).toEqual([attempt.signal, own.signal]);
  await expect(call(client)).rejects.toThrow('the attempt is over');
});

test('[K-41] an apply to what exists needs to know which it is', async () => {
  const [inner, transport] = clientAndTransport();
  const { uid: _, ...metadata } = object.metadata;

  for (const client of [inner, decorateClient(inner, {})]) {
    await expect(client.applyExisting(configMaps, { ...object, metadata })).rejects.toMatchObject({
      code: 'USER_CODE',
      layer: 'user-code',
    });
  }

  expect(transport.requests).toEqual([]);
});

test('[K-42] an update must say what it was made from, for the compiler and at run time', async () => {
  const [client, transport] = clientAndTransport();
  const { resourceVersion: _, ...metadata } = object.metadata;
  const unversioned: ConfigMap = { ...object, metadata };

  // @ts-expect-error: without resourceVersion
  const updating = client.update(configMaps, unversioned);

  await expect(updating).rejects.toMatchObject({ code: 'USER_CODE', layer: 'user-code' });
  expect(transport.requests).toEqual([]);
});

test('[K-42] an update by force says no version, so that it overwrites whatever is there', async () => {
  const [client, transport] = clientAndTransport();

  await client.update(configMaps, object, { force: true });

  const [request] = transport.requests;
  const { resourceVersion: _, ...metadata } = object.metadata;
  expect(JSON.parse(request?.body ?? '')).toEqual({ ...object, metadata });
  expect(request?.path).toBe('/api/v1/namespaces/demo/configmaps/a?fieldManager=tester');
});

test('[K-42] what was read may be updated as it is', async () => {
  const [client, transport] = clientAndTransport();

  const live = await client.get(configMaps, target);
  await client.update(configMaps, { ...live, data: { k: 'v' } });

  expect(JSON.parse(transport.requests[1]?.body ?? '')).toEqual({ ...object, data: { k: 'v' } });
});

test('[K-48] get and find are quorum reads: they name no resourceVersion', async () => {
  const [client, transport] = clientAndTransport();

  await client.get(configMaps, target);
  await client.find(configMaps, target);

  expect(transport.requests.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/demo/configmaps/a',
    '/api/v1/namespaces/demo/configmaps/a',
  ]);
});
