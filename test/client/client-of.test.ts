import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Call, Interceptor } from '../../operator/client/call.ts';
import type { CallOptions, Client, Versioned } from '../../operator/client/client.ts';
import { clientOf, intercept } from '../../operator/client/client-of.ts';
import { abortWith } from '../../operator/client/interceptors/abort-with.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { type ConfigMap, configMaps, pods } from '../../operator/model/builtin.ts';
import { type CannedTransport, cannedTransport } from './canned-transport.ts';

const target = { namespace: 'demo', name: 'a' };
const object: Versioned<ConfigMap> & { readonly metadata: { readonly uid: string } } = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...target, uid: 'u1', resourceVersion: '7' },
};
const patch = { type: 'merge', body: {} } as const;
const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items: [] };

function clientAndTransport(): [Client, CannedTransport] {
  const transport = cannedTransport(({ method, path }) => ({
    body: method === 'GET' && path.startsWith('/api/v1/configmaps?') ? list : object,
  }));
  return [restClient({ transport, fieldManager: 'tester', clock: new FakeClock() }), transport];
}

/** Every method of a client, the call that it makes, and how to make it. */
const CALLS: readonly [
  method: keyof Client,
  call: object,
  make: (client: Client, options?: CallOptions) => Promise<unknown>,
][] = [
  [
    'get',
    { verb: 'get', resource: configMaps, target },
    (client, options) => client.get(configMaps, target, options),
  ],
  [
    'find',
    { verb: 'find', resource: configMaps, target },
    (client, options) => client.find(configMaps, target, options),
  ],
  [
    'list',
    { verb: 'list', resource: configMaps },
    (client, options) => client.list(configMaps, options),
  ],
  [
    'create',
    { verb: 'create', resource: configMaps, object },
    (client, options) => client.create(configMaps, object, options),
  ],
  [
    'apply',
    { verb: 'apply', resource: configMaps, object },
    (client, options) => client.apply(configMaps, object, options),
  ],
  [
    'applyExisting',
    { verb: 'apply', resource: configMaps, object },
    (client, options) => client.applyExisting(configMaps, object, options),
  ],
  [
    'update',
    { verb: 'update', resource: configMaps, object },
    (client, options) => client.update(configMaps, object, options),
  ],
  [
    'patch',
    { verb: 'patch', resource: configMaps, target, patch },
    (client, options) => client.patch(configMaps, target, patch, options),
  ],
  [
    'delete',
    { verb: 'delete', resource: configMaps, target },
    (client, options) => client.delete(configMaps, target, options),
  ],
  [
    'evict',
    { verb: 'evict', resource: pods, target },
    (client, options) => client.evict(target, options),
  ],
];

test('the table of calls in this file has every method of a client', () => {
  const [client] = clientAndTransport();
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(client));

  expect(CALLS.map(([method]) => method).toSorted()).toEqual(
    methods.filter((name) => name !== 'constructor').toSorted(),
  );
});

test.each(
  CALLS,
)('a call of %s and its answer pass each interceptor once', async (_, expected, make) => {
  const answer = { answer: 'of the server' };
  const seen: unknown[] = [];
  const watching: Interceptor = (next) => async (call) => {
    seen.push(call);
    const answered = await next(call);
    seen.push(answered);
    return answered;
  };
  const plain = clientOf(async (call) => {
    seen.push(call);
    return answer as never;
  });
  const options = { signal: new AbortController().signal };

  const answered = await make(intercept(plain, watching, watching), options);

  expect(answered).toBe(answer);
  const call = { ...expected, options };
  expect(seen).toEqual([call, call, call, answer, answer]);
  // The very same call and the very same arguments, not copies of them.
  expect(new Set(seen).size).toBe(2);
  for (const [name, value] of Object.entries(call)) expect(seen[0]).toHaveProperty(name, value);
  expect((seen[0] as Call).options).toBe(options);
});

test.each(CALLS)('a call of %s without options has the options {}', async (_, expected, make) => {
  const seen: Call[] = [];
  const client = clientOf(async (call) => {
    seen.push(call);
    return undefined;
  });

  await make(client);

  expect(seen).toEqual([{ ...expected, options: {} }]);
});

test.each(CALLS)('a failure of %s passes the interceptors unchanged', async (_, __, make) => {
  const failure = new Error('refused');
  const client = clientOf(() => Promise.reject(failure));
  const passing: Interceptor = (next) => (call) => next(call);

  await expect(make(intercept(client, passing, passing))).rejects.toBe(failure);
});

test('a call goes through the first interceptor first, and the original client does not change', async () => {
  const order: string[] = [];
  const named =
    (name: string): Interceptor =>
    (next) =>
    async (call) => {
      order.push(`${name} asks`);
      const answer = await next(call);
      order.push(`${name} hears`);
      return answer;
    };
  const plain = clientOf(async () => {
    order.push('made');
    return object;
  });
  const inner = intercept(plain, named('third'));

  await intercept(inner, named('first'), named('second')).get(configMaps, target);
  const around = order.splice(0);
  await plain.get(configMaps, target);

  expect(around).toEqual([
    ...['first asks', 'second asks', 'third asks', 'made'],
    ...['third hears', 'second hears', 'first hears'],
  ]);
  expect(order).toEqual(['made']);
});

test('intercept() refuses a client that the toolkit did not create, and the error says what to do', () => {
  const [client] = clientAndTransport();
  const foreign: Client = Object.fromEntries(
    CALLS.map(([method]) => [method, client[method].bind(client)]),
  ) as never;
  const passing: Interceptor = (next) => next;

  for (const one of [foreign, Object.create(client) as Client]) {
    expect(() => intercept(one, passing)).toThrow(
      expect.objectContaining({
        name: 'OperatorError',
        code: 'USER_CODE',
        layer: 'user-code',
        message: expect.stringContaining('clientOf'),
      }),
    );
  }
});

test('an interceptor can change a call', async () => {
  const [inner, transport] = clientAndTransport();
  const client = intercept(inner, (next) => (call) => {
    if (call.verb !== 'create') return next(call);
    return next({ ...call, options: { ...call.options, dryRun: true } });
  });

  await client.create(configMaps, object);

  expect(transport.requests.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/demo/configmaps?fieldManager=tester&dryRun=All',
  ]);
});

test.each(
  CALLS,
)('the call %s without a signal gets the signal of its client', async (_, __, make) => {
  const [inner, transport] = clientAndTransport();
  const [attempt, own] = [new AbortController(), new AbortController()];
  const client = intercept(inner, abortWith(attempt.signal));

  await make(client);
  await make(client, { signal: undefined });
  await make(client, { signal: own.signal });
  attempt.abort(new Error('the attempt is over'));

  expect(transport.requests.map(({ signal }) => signal)).toEqual([
    ...[attempt.signal, attempt.signal, own.signal],
  ]);
  await expect(make(client)).rejects.toThrow('the attempt is over');
});

test('[K-41] applyExisting needs the uid of the object', async () => {
  const [inner, transport] = clientAndTransport();
  const { uid: _, ...metadata } = object.metadata;

  for (const client of [inner, intercept(inner, (next) => next)]) {
    await expect(client.applyExisting(configMaps, { ...object, metadata })).rejects.toMatchObject({
      code: 'USER_CODE',
      layer: 'user-code',
    });
  }

  expect(transport.requests).toEqual([]);
});

test('[K-42] an update needs a resourceVersion, for the compiler and at run time', async () => {
  const [client, transport] = clientAndTransport();
  const { resourceVersion: _, ...metadata } = object.metadata;
  const unversioned: ConfigMap = { ...object, metadata };

  // @ts-expect-error: without resourceVersion
  const updating = client.update(configMaps, unversioned);

  await expect(updating).rejects.toMatchObject({ code: 'USER_CODE', layer: 'user-code' });
  expect(transport.requests).toEqual([]);
});

test('[K-42] an update with `force` sends no resourceVersion, and so overwrites any state', async () => {
  const [client, transport] = clientAndTransport();

  await client.update(configMaps, object, { force: true });

  const [request] = transport.requests;
  const { resourceVersion: _, ...metadata } = object.metadata;
  expect(JSON.parse(request?.body ?? '')).toEqual({ ...object, metadata });
  expect(request?.path).toBe('/api/v1/namespaces/demo/configmaps/a?fieldManager=tester');
});

test('[K-42] an object that was read can be updated as it is', async () => {
  const [client, transport] = clientAndTransport();

  const live = await client.get(configMaps, target);
  await client.update(configMaps, { ...live, data: { k: 'v' } });

  expect(JSON.parse(transport.requests[1]?.body ?? '')).toEqual({ ...object, data: { k: 'v' } });
});

test('[K-48] `get` and `find` send no resourceVersion, so they read the latest state', async () => {
  const [client, transport] = clientAndTransport();

  await client.get(configMaps, target);
  await client.find(configMaps, target);

  expect(transport.requests.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/demo/configmaps/a',
    '/api/v1/namespaces/demo/configmaps/a',
  ]);
});
