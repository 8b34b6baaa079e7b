import { FakeClock } from '@chancery/testing';
import nock from 'nock';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Client, Patch } from '../../operator/client/client.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { configMaps, deployments, pods } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { isDisruptionRefused } from '../../operator/model/status.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import {
  type CannedAnswer,
  type CannedTransport,
  cannedTransport,
  parsePath,
} from './canned-transport.ts';

const { signal } = new AbortController();
const target = { namespace: 'demo', name: 'a' };
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target };
const versioned = { ...configMap, metadata: { ...target, resourceVersion: '7' } };
const nodes = defineResource<KubernetesObject>({
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
});
const status = (code: number, reason: string, more: object = {}): CannedAnswer => ({
  status: code,
  body: { kind: 'Status', status: 'Failure', code, reason, message: 'no', ...more },
});

function clientWith(answer: (index: number) => CannedAnswer): [Client, CannedTransport] {
  const transport = cannedTransport((_request, index) => answer(index));
  return [restClient({ transport, fieldManager: 'tester', clock: new FakeClock() }), transport];
}

function sent({ requests }: CannedTransport, at = 0): object {
  const { method, headers, body } = requests[at] ?? {};
  const { path, query } = parsePath(requests[at]);
  return {
    method,
    path,
    query,
    contentType: headers?.['content-type'],
    body: body === undefined ? undefined : JSON.parse(body),
  };
}

describe('the methods `get` and `find`', () => {
  test('[P-5] `get` reads one object', async () => {
    const [client, transport] = clientWith(() => ({ body: configMap }));

    const object = await client.get(configMaps, target, { signal });

    expect(object).toEqual(configMap);
    expect(sent(transport)).toEqual({
      method: 'GET',
      path: '/api/v1/namespaces/demo/configmaps/a',
      query: {},
      contentType: undefined,
      body: undefined,
    });
    expect(transport.requests[0]?.headers).toMatchObject({ accept: 'application/json' });
  });

  test('for a missing object, `get` throws, and `find` returns undefined', async () => {
    const [client] = clientWith(() =>
      status(404, 'NotFound', { details: { name: 'a', kind: 'configmaps' } }),
    );

    await expect(client.get(configMaps, target, { signal })).rejects.toMatchObject({ status: 404 });
    expect(await client.find(configMaps, target, { signal })).toBeUndefined();
  });

  test('for a missing resource, `find` also throws', async () => {
    const [client] = clientWith(() => ({
      status: 404,
      headers: { 'content-type': 'text/plain' },
      body: '404 page not found\n',
    }));

    await expect(client.find(configMaps, target, { signal })).rejects.toMatchObject({
      status: 404,
    });
  });

  test.each([
    ['of another kind', { ...configMap, kind: 'Secret' }],
    ['of another version', { ...configMap, apiVersion: 'v2' }],
    ['that is a Table', { kind: 'Table', apiVersion: 'meta.k8s.io/v1' }],
    ['that is a Status', { kind: 'Status', apiVersion: 'v1', status: 'Success' }],
    ['without metadata', { ...configMap, metadata: null }],
  ])('`get` refuses an answer %s', async (_, body) => {
    const [client] = clientWith(() => ({ body }));

    await expect(client.get(configMaps, target, { signal })).rejects.toMatchObject({
      code: 'DECODE',
    });
  });

  test.each([
    [configMaps, { name: 'a' }],
    [nodes, { namespace: 'demo', name: 'a' }],
    [configMaps, { namespace: 'demo', name: '..' }],
    [configMaps, { namespace: 'demo', name: 'a/status' }],
    [configMaps, { namespace: '', name: 'a' }],
  ])('a request with an invalid target is never sent (%#)', async (resource, wrong) => {
    const [client, transport] = clientWith(() => ({ body: configMap }));

    await expect(client.get(resource, wrong, { signal })).rejects.toMatchObject({ code: 'CONFIG' });
    expect(transport.requests).toEqual([]);
  });
});

describe('the method `list`', () => {
  const page = (names: readonly string[], token?: string): CannedAnswer => ({
    body: {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7', continue: token },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });

  test('`list` reads every page, and sends the selectors with each request', async () => {
    const pages = [page(['a', 'b'], 't1'), page([], 't2'), page(['c'])];
    const [client, transport] = clientWith((index) => pages[index] ?? expect.unreachable());

    const items = await client.list(configMaps, {
      namespace: 'demo',
      labelSelector: 'app in (a,b)',
      fieldSelector: 'metadata.name!=x y',
      signal,
    });

    expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap a',
      'ConfigMap b',
      'ConfigMap c',
    ]);
    const selectors = { labelSelector: 'app in (a,b)', fieldSelector: 'metadata.name!=x y' };
    expect(transport.requests.map((request) => parsePath(request).query)).toEqual([
      { ...selectors, limit: '500' },
      { ...selectors, limit: '500', continue: 't1' },
      { ...selectors, limit: '500', continue: 't2' },
    ]);
  });

  test('`list` without a namespace requests the objects of all namespaces', async () => {
    const [client, transport] = clientWith(() => page([]));

    await client.list(configMaps, { labelSelector: '', signal });

    expect(sent(transport)).toMatchObject({ path: '/api/v1/configmaps', query: { limit: '500' } });
  });

  test('`list` reads 130,000 items from a server that ignores the limit', async () => {
    const names = Array.from({ length: 130_000 }, (_, at) => `n${at}`);
    const [client] = clientWith(() => page(names));

    expect(await client.list(configMaps, { signal })).toHaveLength(130_000);
  });

  test('if a continue token has expired, `list` starts over once, without pages', async () => {
    const answers = [page(['a'], 't1'), status(410, 'Expired'), page(['b', 'c'])];
    const [client, transport] = clientWith((index) => answers[index] ?? expect.unreachable());

    const items = await client.list(configMaps, { labelSelector: 'x', signal });

    expect(items.map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
    expect(parsePath(transport.requests[2]).query).toEqual({ labelSelector: 'x' });
  });

  test('`list` fails if a continue token also expires in the second attempt', async () => {
    const answers = [page(['a'], 't1'), status(410, 'Expired'), status(410, 'Expired')];
    const [client] = clientWith((index) => answers[index] ?? expect.unreachable());

    await expect(client.list(configMaps, { signal })).rejects.toMatchObject({ status: 410 });
  });

  test('`list` fails if a page is truncated', async () => {
    const answers: CannedAnswer[] = [
      page(['a'], 't1'),
      { body: '{"kind":"ConfigMapList","items":[' },
    ];
    const [client] = clientWith((index) => answers[index] ?? expect.unreachable());

    await expect(client.list(configMaps, { signal })).rejects.toMatchObject({ code: 'DECODE' });
  });
});

describe('the methods that write', () => {
  test('[P-8] `create` sends a POST to the collection', async () => {
    const [client, transport] = clientWith(() => ({ status: 201, body: configMap }));

    const created = await client.create(configMaps, configMap, { signal });

    expect(created).toEqual(configMap);
    expect(sent(transport)).toEqual({
      method: 'POST',
      path: '/api/v1/namespaces/demo/configmaps',
      query: { fieldManager: 'tester' },
      contentType: 'application/json',
      body: configMap,
    });
  });

  test("`create` of a subresource sends a POST to the object's path, and accepts another kind as answer", async () => {
    const binding: KubernetesObject = { apiVersion: 'v1', kind: 'Binding', metadata: target };
    const [client, transport] = clientWith(() => ({
      status: 201,
      body: { kind: 'Status', apiVersion: 'v1', status: 'Success' },
    }));

    await client.create(pods, binding, { subresource: 'binding', signal });

    expect(sent(transport)).toMatchObject({ path: '/api/v1/namespaces/demo/pods/a/binding' });
  });

  test('[P-8] `apply` sends JSON as an apply patch, without managedFields', async () => {
    const [client, transport] = clientWith(() => ({ body: configMap }));
    const object = { ...configMap, metadata: { ...target, uid: 'u1', managedFields: [{}] } };

    await client.apply(configMaps, object, { force: true, signal });

    expect(sent(transport)).toEqual({
      method: 'PATCH',
      path: '/api/v1/namespaces/demo/configmaps/a',
      query: { fieldManager: 'tester', force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: { ...configMap, metadata: { ...target, uid: 'u1' } },
    });
    expect(object.metadata.managedFields).toEqual([{}]);
  });

  test('[P-8] `update` sends the object with PUT', async () => {
    const [client, transport] = clientWith(() => ({ body: configMap }));

    await client.update(configMaps, versioned, { dryRun: true, signal });

    expect(sent(transport)).toEqual({
      method: 'PUT',
      path: '/api/v1/namespaces/demo/configmaps/a',
      query: { fieldManager: 'tester', dryRun: 'All' },
      contentType: 'application/json',
      body: versioned,
    });
  });

  test.each<[Patch, string]>([
    [{ type: 'merge', body: { data: { a: null } } }, 'application/merge-patch+json'],
    [{ type: 'strategic', body: { spec: {} } }, 'application/strategic-merge-patch+json'],
    [{ type: 'json', body: [{ op: 'remove', path: '/data/a' }] }, 'application/json-patch+json'],
  ])('[P-8] `patch` sends the content type for the type of the patch (%#)', async (patch, contentType) => {
    const [client, transport] = clientWith(() => ({
      body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: target },
    }));

    await client.patch(deployments, target, patch, { subresource: 'status', signal });

    expect(sent(transport)).toEqual({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/demo/deployments/a/status',
      query: { fieldManager: 'tester' },
      contentType,
      body: patch.body,
    });
  });

  test('if the server refuses a write, its Status is thrown as an ApiError', async () => {
    const [client] = clientWith(() => status(409, 'Conflict'));

    await expect(client.update(configMaps, versioned, { signal })).rejects.toMatchObject({
      code: 'API_STATUS',
      status: 409,
      reason: 'Conflict',
    });
  });
});

describe('the method `delete`', () => {
  test.each([
    [200, configMap],
    [202, configMap],
    [200, { kind: 'Status', apiVersion: 'v1', status: 'Success' }],
  ])('`delete` accepts the answer %i %o', async (code, body) => {
    const [client] = clientWith(() => ({ status: code, body }));

    await expect(client.delete(configMaps, target, { signal })).resolves.toBeUndefined();
  });

  test('[P-9] `delete` without options sends no body', async () => {
    const [client, transport] = clientWith(() => ({}));

    await client.delete(nodes, { name: 'n1' }, { signal });

    expect(sent(transport)).toEqual({
      method: 'DELETE',
      path: '/api/v1/nodes/n1',
      query: {},
      contentType: undefined,
      body: undefined,
    });
  });

  test('[P-9] `delete` sends its options in the body', async () => {
    const [client, transport] = clientWith(() => ({}));
    const options = {
      preconditions: { uid: 'u1', resourceVersion: '7' },
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
    } as const;

    await client.delete(configMaps, target, { ...options, signal });

    expect(sent(transport)).toMatchObject({
      contentType: 'application/json',
      body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options },
    });
  });

  test('`delete` throws if the answer is a failure Status, even with HTTP 200', async () => {
    const [client] = clientWith(() => ({ ...status(409, 'Conflict'), status: 200 }));

    await expect(client.delete(configMaps, target, { signal })).rejects.toMatchObject({
      status: 409,
    });
  });
});

describe('the method `evict`', () => {
  test('[P-8] `evict` sends a POST with an Eviction', async () => {
    const [client, transport] = clientWith(() => ({
      status: 201,
      body: { kind: 'Status', apiVersion: 'v1', status: 'Success' },
    }));

    await client.evict(target, { preconditions: { uid: 'u1' }, signal });

    expect(sent(transport)).toEqual({
      method: 'POST',
      path: '/api/v1/namespaces/demo/pods/a/eviction',
      query: { fieldManager: 'tester' },
      contentType: 'application/json',
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'a', namespace: 'demo' },
        deleteOptions: { preconditions: { uid: 'u1' } },
      },
    });
  });

  test('the error of `evict` distinguishes a refusal by a disruption budget from other errors', async () => {
    const details = { causes: [{ reason: 'DisruptionBudget' }], retryAfterSeconds: 10 };
    const [client] = clientWith(() => status(429, 'TooManyRequests', { details }));

    const error = await client.evict(target, { signal }).catch((thrown: unknown) => thrown);

    expect(isDisruptionRefused(error)).toBe(true);
    expect(error).toMatchObject({ retryAfterMs: 10_000 });
  });
});

describe('a client over HTTP', () => {
  afterEach(() => {
    nock.cleanAll();
    nock.restore();
  });

  test('`get` through undici returns the object that the ambassador returns', async () => {
    if (!nock.isActive()) nock.activate();
    nock('http://127.0.0.1:8001', { reqheaders: { accept: 'application/json' } })
      .get('/api/v1/namespaces/demo/configmaps/a')
      .reply(200, configMap, { 'content-type': 'application/json' });
    const transport = undiciTransport('http://127.0.0.1:8001');
    onTestFinished(() => transport.close());
    const client = restClient({ transport, fieldManager: 'tester', clock: new FakeClock() });

    const object = await client.get(configMaps, target, { signal });

    expect(object).toEqual(configMap);
    expect(nock.pendingMocks()).toEqual([]);
  });
});
