/** Calls that are made again, against the embedded API server: what it stores is the truth. */

import { ApiServer, FakeClock, settle } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Client, JsonPatchOperation } from '../../operator/client/client.ts';
import { intercept } from '../../operator/client/client-of.ts';
import { retry } from '../../operator/client/interceptors/retry.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { type ConfigMap, configMaps, pods } from '../../operator/model/builtin.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { transportTo } from '../transport/raw-server.ts';
import { cannedTransport } from './canned-transport.ts';
import { type Fortune, type UnreliableTransport, unreliable } from './unreliable-transport.ts';

const { signal } = new AbortController();
const target = { namespace: 'default', name: 'a' };
const PATH = '/api/v1/namespaces/default/configmaps';

function configMap(metadata: Partial<ObjectMeta> = {}, data = { value: 'new' }): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...target, ...metadata }, data };
}

interface Fixture {
  readonly server: ApiServer;
  readonly client: Client;
  readonly transport: UnreliableTransport;
  /** The result of a call whose delays pass at once. */
  finish<T>(promise: Promise<T>): Promise<T>;
  stored(name?: string): ConfigMap | undefined;
}

async function fixture(
  fortunes: readonly Fortune[],
  affected?: Parameters<typeof unreliable>[2],
): Promise<Fixture> {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const transport = unreliable(transportTo(server.url), fortunes, affected);
  const clock = new FakeClock();
  const plain = restClient({ transport, fieldManager: 'tester', clock });
  const client = intercept(plain, retry({ clock, random: () => 0 }));
  return {
    server,
    client,
    transport,
    async finish(promise) {
      let isDone = false;
      const done = (): void => {
        isDone = true;
      };
      promise.then(done, done);
      while (!isDone) {
        clock.advance(clock.nextInMs ?? 0);
        await settle();
      }
      return promise;
    },
    stored: (name = 'a') => server.get('v1', 'ConfigMap', 'default', name) as ConfigMap | undefined,
  };
}

const FAILED = { name: 'AmbassadorError', fate: 'unknown' };
const uidOf = (object: ConfigMap | undefined): string =>
  object?.metadata.uid ?? expect.unreachable();

test.each([
  ['get', (client: Client) => client.get(configMaps, target, { signal }), `${PATH}/a`],
  ['find', (client: Client) => client.find(configMaps, target, { signal }), `${PATH}/a`],
  ['list', (client: Client) => client.list(configMaps, { namespace: 'default', signal }), PATH],
] as const)('[P-13] a %s with an unknown outcome is repeated', async (_, read, path) => {
  const { server, client, transport, finish } = await fixture(['swallowed', 'lost'], () => true);
  server.create(configMap());

  const result = await finish<unknown>(read(client));

  expect(result).toEqual(
    expect.objectContaining(Array.isArray(result) ? { length: 1 } : { data: { value: 'new' } }),
  );
  expect(transport.attempts).toEqual([`GET ${path}`, `GET ${path}`, `GET ${path}`]);
});

test('[P-13] an update with a resourceVersion succeeds when its first answer was lost', async () => {
  const { server, client, transport, finish, stored } = await fixture(['swallowed']);
  const { resourceVersion = '' } = server.create(configMap({}, { value: 'old' })).metadata;
  const sent = { ...configMap(), metadata: { ...stored()?.metadata, ...target, resourceVersion } };

  const updated = await finish(client.update(configMaps, sent, { signal }));

  expect(updated).toEqual(stored());
  expect(updated.data).toEqual({ value: 'new' });
  expect(updated.metadata.resourceVersion).not.toBe(resourceVersion);
  expect(transport.attempts).toEqual([`PUT ${PATH}/a`, `PUT ${PATH}/a`, `GET ${PATH}/a`]);
});

test('[P-13] a lost update request results in a conflict if another write came in between', async () => {
  const { server, client, finish, stored } = await fixture(['lost']);
  const { metadata } = server.create(configMap({ labels: { a: 'b' } }, { value: 'old' }));
  server.patch('v1', 'ConfigMap', 'default', 'a', { data: { value: 'theirs' } });
  const { labels: _, resourceVersion = '', ...withoutLabels } = metadata;

  const updating = finish(
    client.update(
      configMaps,
      { ...configMap({}, { value: 'theirs' }), metadata: { ...withoutLabels, resourceVersion } },
      { signal },
    ),
  );

  await expect(updating).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
  expect(stored()?.metadata.labels).toEqual({ a: 'b' });
});

test('[P-13] an update without a resourceVersion is not repeated', async () => {
  const { server, client, transport, finish } = await fixture(['lost']);
  server.create(configMap());

  const updating = finish(client.update(configMaps, configMap(), { force: true, signal }));

  await expect(updating).rejects.toMatchObject(FAILED);
  expect(transport.attempts).toEqual([`PUT ${PATH}/a`]);
});

test('[P-13] a merge patch with a resourceVersion succeeds when its first answer was lost', async () => {
  const { server, client, transport, finish, stored } = await fixture(['swallowed']);
  const { resourceVersion } = server.create(configMap({ labels: { a: 'b' } })).metadata;
  const body = { metadata: { resourceVersion, labels: { a: null } }, data: { more: 'x' } };

  const patched = await finish(
    client.patch(configMaps, target, { type: 'merge', body }, { signal }),
  );

  expect(patched).toEqual(stored());
  expect(patched.data).toEqual({ value: 'new', more: 'x' });
  expect(transport.attempts).toEqual([`PATCH ${PATH}/a`, `PATCH ${PATH}/a`, `GET ${PATH}/a`]);
});

test('[P-13] a JSON patch with a test succeeds when its first answer was lost', async () => {
  const { server, client, transport, finish, stored } = await fixture(['swallowed']);
  server.create(configMap({ annotations: { 'x/y': 'old' } }));
  const body: readonly JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/annotations/x~1y', value: 'old' },
    { op: 'replace', path: '/metadata/annotations/x~1y', value: 'new' },
    { op: 'remove', path: '/data/value' },
  ];

  const patched = await finish(
    client.patch(configMaps, target, { type: 'json', body }, { signal }),
  );

  expect(patched).toEqual(stored());
  expect(patched.metadata.annotations).toEqual({ 'x/y': 'new' });
  expect(transport.attempts).toEqual([`PATCH ${PATH}/a`, `PATCH ${PATH}/a`, `GET ${PATH}/a`]);
});

test('[P-13] a lost JSON patch is refused if its test fails because of another write', async () => {
  const { server, client, finish } = await fixture(['lost']);
  server.create(configMap({}, { value: 'theirs' }));
  const body: readonly JsonPatchOperation[] = [
    { op: 'test', path: '/data/value', value: 'old' },
    { op: 'replace', path: '/data/value', value: 'new' },
  ];

  const patching = finish(client.patch(configMaps, target, { type: 'json', body }, { signal }));

  await expect(patching).rejects.toMatchObject({ status: 422 });
});

test.each([
  [{ type: 'merge', body: { data: { value: 'x' } } }],
  [{ type: 'strategic', body: { metadata: { labels: { a: 'b' } } } }],
  [{ type: 'json', body: [{ op: 'add', path: '/data/x', value: 'y' }] }],
] as const)('[P-13] a patch without a resourceVersion or a test is not repeated (%#)', async (patch) => {
  const { server, client, transport, finish } = await fixture(['swallowed']);
  server.create(configMap());

  const patching = finish(client.patch(configMaps, target, patch, { signal }));

  await expect(patching).rejects.toMatchObject(FAILED);
  expect(transport.attempts).toHaveLength(1);
});

test('[P-13] an apply is repeated, and creates one object', async () => {
  const { client, transport, finish, stored } = await fixture(['swallowed', 'lost']);

  const applied = await finish(client.apply(configMaps, configMap(), { signal }));

  expect(applied).toEqual(stored());
  expect(transport.attempts).toHaveLength(3);
});

test.each([
  'swallowed',
  'lost',
] as const)('[P-13] a delete with a uid succeeds if the object is gone after the first request was %s', async (fortune) => {
  const { server, client, finish, stored } = await fixture([fortune]);
  const uid = uidOf(server.create(configMap()));

  await finish(client.delete(configMaps, target, { preconditions: { uid }, signal }));

  expect(stored()).toBeUndefined();
});

test('[P-13] a delete with a uid succeeds, and deletes nothing, if another object now has the name', async () => {
  const { server, client, finish, stored } = await fixture(['lost']);
  server.create(configMap({}, { value: 'other' }));

  await finish(client.delete(configMaps, target, { preconditions: { uid: 'first' }, signal }));

  expect(stored()?.data).toEqual({ value: 'other' });
});

test('[P-13] a delete with a lost response succeeds if the object waits only for a finalizer', async () => {
  const { server, client, finish, stored } = await fixture(['swallowed']);
  const { metadata } = server.create(configMap({ finalizers: ['a.b/c'] }));
  const { uid = '', resourceVersion = '' } = metadata;

  await finish(
    client.delete(configMaps, target, { preconditions: { uid, resourceVersion }, signal }),
  );

  expect(stored()?.metadata.deletionTimestamp).toBeDefined();
});

test('[P-13] a lost delete request results in a conflict if another write came in between', async () => {
  const { server, client, finish, stored } = await fixture(['lost']);
  const { uid = '', resourceVersion = '' } = server.create(configMap()).metadata;
  server.patch('v1', 'ConfigMap', 'default', 'a', { data: { value: 'theirs' } });

  const deleting = finish(
    client.delete(configMaps, target, { preconditions: { uid, resourceVersion }, signal }),
  );

  await expect(deleting).rejects.toMatchObject({ status: 409 });
  expect(stored()).toBeDefined();
});

test('[P-13] a delete without a uid is not repeated', async () => {
  const { server, client, transport, finish } = await fixture(['swallowed']);
  server.create(configMap());

  const deleting = finish(client.delete(configMaps, target, { signal }));

  await expect(deleting).rejects.toMatchObject(FAILED);
  expect(transport.attempts).toEqual([`DELETE ${PATH}/a`]);
});

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'o1' };

test.each([
  ['owner', { ownerReferences: [owner], labels: { app: 'web' } }],
  ['content', {}],
])('[P-13] after a lost answer, the created object is recognised by its %s', async (_, metadata) => {
  const { client, transport, finish, stored } = await fixture(['swallowed']);

  const created = await finish(client.create(configMaps, configMap(metadata), { signal }));

  expect(created).toEqual(stored());
  expect(transport.attempts).toEqual([`POST ${PATH}`, `POST ${PATH}`, `GET ${PATH}/a`]);
});

test.each([
  ['of another owner', { ownerReferences: [{ ...owner, uid: 'o2' }], labels: { app: 'web' } }],
  ['without an owner', { labels: { app: 'web' } }],
  ['with other labels', { ownerReferences: [owner], labels: { app: 'db' } }],
])('[P-13] after a lost create, an existing object %s is a conflict', async (_, theirs) => {
  const { server, client, finish, stored } = await fixture(['lost']);
  const uid = uidOf(server.create(configMap(theirs, { value: 'theirs' })));
  const ours = configMap({ ownerReferences: [owner], labels: { app: 'web' } });

  const creating = finish(client.create(configMaps, ours, { signal }));

  await expect(creating).rejects.toMatchObject({ status: 409, reason: 'AlreadyExists' });
  expect(stored()?.metadata.uid).toBe(uid);
});

test('[P-13] after a lost create, an existing object with other content is a conflict', async () => {
  const { server, client, finish } = await fixture(['lost']);
  server.create(configMap({ labels: { app: 'web' } }, { value: 'theirs' }));

  const creating = finish(
    client.create(configMaps, configMap({ labels: { app: 'web' } }), { signal }),
  );

  await expect(creating).rejects.toMatchObject({ reason: 'AlreadyExists' });
});

test('[P-13] a create with a generated name is never repeated', async () => {
  const { server, client, transport, finish } = await fixture(['swallowed']);
  const object = configMap({ name: '', generateName: 'a-' });

  const creating = finish(client.create(configMaps, object, { signal }));

  await expect(creating).rejects.toMatchObject(FAILED);
  expect(transport.attempts).toEqual([`POST ${PATH}`]);
  expect(server.list('v1', 'ConfigMap', 'default').filter(isGenerated)).toHaveLength(1);
});

const isGenerated = ({ metadata }: { metadata: ObjectMeta }): boolean =>
  metadata.name.startsWith('a-');

test.each<[string, (client: Client) => Promise<unknown>]>([
  [
    'a generated name',
    (client) => client.create(configMaps, configMap({ name: '', generateName: 'a-' }), { signal }),
  ],
  [
    'an update without resourceVersion',
    (client) => client.update(configMaps, configMap(), { force: true, signal }),
  ],
  ['a delete of a name', (client) => client.delete(configMaps, target, { signal })],
  [
    'a patch without a guard',
    (client) => client.patch(configMaps, target, { type: 'merge', body: {} }, { signal }),
  ],
])('[P-13] a request that was never sent is repeated: %s', async (_, call) => {
  const { server, client, transport, finish } = await fixture(['not-sent', 'not-sent']);
  server.create(configMap());

  await finish(call(client));

  expect(transport.attempts).toHaveLength(3);
  expect(server.list('v1', 'ConfigMap', 'default').filter(isGenerated).length).toBeLessThan(2);
});

test('[P-13] an eviction is repeated only with a uid', async () => {
  const metadata: ObjectMeta = target;
  const spec = { containers: [{ name: 'a', image: 'a' }] };
  const { server, client, transport, finish } = await fixture(['lost', 'lost']);
  const { uid = '' } = server.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec }).metadata;

  await finish(client.evict(target, { preconditions: { uid }, signal }));

  expect(transport.attempts).toHaveLength(3);
  expect(await client.find(pods, target, { signal })).toBeUndefined();
  const other = await fixture(['lost']);
  await expect(other.finish(other.client.evict(target, { signal }))).rejects.toMatchObject(FAILED);
});

test('[P-13] a dry run is always repeated', async () => {
  const { server, client, transport, finish } = await fixture(['swallowed']);
  const object = configMap({ name: '', generateName: 'a-' });

  await finish(client.create(configMaps, object, { dryRun: true, signal }));

  expect(transport.attempts).toHaveLength(2);
  expect(server.list('v1', 'ConfigMap', 'default').filter(isGenerated)).toEqual([]);
});

test('[P-13] a refusal of the first attempt is final, even if a matching object exists', async () => {
  const { server, client, transport, finish } = await fixture([]);
  const { metadata } = server.create(configMap());
  server.patch('v1', 'ConfigMap', 'default', 'a', { metadata: { labels: { a: 'b' } } });
  const { resourceVersion = '' } = metadata;
  const labels = { a: 'b' };
  const update = { ...configMap(), metadata: { ...metadata, resourceVersion, labels } };

  const creating = finish(client.create(configMaps, configMap(), { signal }));
  await expect(creating).rejects.toMatchObject({ reason: 'AlreadyExists' });
  const updating = finish(client.update(configMaps, update, { signal }));
  await expect(updating).rejects.toMatchObject({ reason: 'Conflict' });

  expect(transport.attempts).toEqual([`POST ${PATH}`, `PUT ${PATH}/a`]);
});

test('[P-13] the creation of a subresource, such as an eviction, is not repeated', async () => {
  const { client, transport, finish } = await fixture(['lost']);
  const eviction: KubernetesObject = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: target,
  };

  const creating = finish(client.create(pods, eviction, { subresource: 'eviction', signal }));

  await expect(creating).rejects.toMatchObject(FAILED);
  expect(transport.attempts).toHaveLength(1);
});

test('[P-13] a status update succeeds when its first answer was lost', async () => {
  const { server, client, finish } = await fixture(['swallowed']);
  const spec = { containers: [{ name: 'a', image: 'a' }] };
  const metadata: ObjectMeta = target;
  const pod = server.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const otherSpec = { nodeName: 'n', containers: [] };
  const { resourceVersion = '' } = pod.metadata;
  const sent = {
    ...pod,
    metadata: { ...pod.metadata, resourceVersion },
    spec: otherSpec,
    status: { phase: 'Running' },
  };

  const updated = await finish(client.update(pods, sent, { subresource: 'status', signal }));

  expect(updated).toEqual(server.get('v1', 'Pod', 'default', 'a'));
  expect(updated).toMatchObject({ spec, status: { phase: 'Running' } });
});

test('[P-13] a patch of a list does not count as done if only the beginning of the list is equal', async () => {
  const { server, client, finish } = await fixture(['lost']);
  const { resourceVersion } = server.create(configMap({ finalizers: ['a.b/c', 'd.e/f'] })).metadata;
  server.patch('v1', 'ConfigMap', 'default', 'a', { data: { value: 'theirs' } });
  const body = { metadata: { resourceVersion, finalizers: ['a.b/c'] } };

  const patching = finish(client.patch(configMaps, target, { type: 'merge', body }, { signal }));

  await expect(patching).rejects.toMatchObject({ status: 409 });
});

test('[P-13] a conflict of a strategic patch is thrown, because it is unknown whether the patch was applied', async () => {
  const { server, client, finish } = await fixture(['swallowed']);
  const { resourceVersion } = server.create(configMap({}, { value: 'old' })).metadata;
  const body = { metadata: { resourceVersion }, data: { value: 'new' } };

  const patching = finish(
    client.patch(configMaps, target, { type: 'strategic', body }, { signal }),
  );

  await expect(patching).rejects.toMatchObject({ status: 409 });
});

test('[P-13] a 404 for an unserved path does not prove that an object is gone', async () => {
  const unserved = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'not found' };
  const transport = unreliable(
    cannedTransport(() => unserved),
    ['lost'],
  );
  const clock = new FakeClock();
  const plain = restClient({ transport, fieldManager: 'tester', clock });
  const client = intercept(plain, retry({ clock, random: () => 0 }));

  const deleting = client.delete(configMaps, target, { preconditions: { uid: 'u1' }, signal });
  deleting.catch(() => {});
  await clock.advanceAndSettle(100);

  await expect(deleting).rejects.toMatchObject({ status: 404 });
});

test('[P-13] a JSON patch that removes a value does not count as done while the value exists', async () => {
  const { server, client, finish, stored } = await fixture(['lost']);
  const { resourceVersion } = server.create(configMap()).metadata;
  server.patch('v1', 'ConfigMap', 'default', 'a', { metadata: { labels: { a: 'b' } } });
  const body: readonly JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'remove', path: '/data/value' },
  ];

  const patching = finish(client.patch(configMaps, target, { type: 'json', body }, { signal }));

  await expect(patching).rejects.toMatchObject({ name: 'ApiError' });
  expect(stored()?.data).toEqual({ value: 'new' });
});

test('[P-12] an unknown outcome stays unknown even if later attempts were not sent', async () => {
  const hopeless = Array<Fortune>(50).fill('not-sent');
  const { client, finish } = await fixture(['swallowed', ...hopeless]);

  const applying = finish(client.apply(configMaps, configMap(), { signal }));

  await expect(applying).rejects.toMatchObject(FAILED);
});
