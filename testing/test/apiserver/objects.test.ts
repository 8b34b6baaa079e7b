import { expect, test } from 'vitest';
import { FakeClock } from '../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster } from './support/cluster.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

function deployment(name: string) {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
      },
    },
  };
}

test('a new object gets its metadata from the server', async () => {
  const { send } = await startCluster();

  const { status, body } = await send('POST', CONFIG_MAPS, {
    ...configMap('a', { uid: 'mine', creationTimestamp: '1999-01-01T00:00:00Z', generation: 7 }),
  });

  expect(status).toBe(201);
  expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  expect(Date.parse(body.metadata.creationTimestamp)).toBeGreaterThan(Date.parse('2020-01-01'));
  expect(body.metadata.generation).toBeUndefined();
});

test('a name made from generateName ends with five random characters', async () => {
  const { send } = await startCluster();
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'web-' } };

  const names = await Promise.all(
    [1, 2, 3].map(async () => (await send('POST', CONFIG_MAPS, object)).body.metadata.name),
  );

  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('the generation counts only changes of the spec', async () => {
  const { send } = await startCluster();
  await send('POST', DEPLOYMENTS, deployment('web'));
  const path = `${DEPLOYMENTS}/web`;

  const generations = [];
  for (const patch of [
    { metadata: { labels: { a: 'b' } } },
    { spec: { replicas: 3 } },
    { status: { replicas: 9 } },
  ]) {
    const { body } = await send('PATCH', path, patch);
    generations.push(body.metadata.generation);
  }

  expect(generations).toEqual([1, 2, 2]);
});

test('[F-9] /status changes only the status, and the main resource changes everything except the status', async () => {
  const { send } = await startCluster();
  await send('POST', DEPLOYMENTS, deployment('web'));
  const patch = { spec: { replicas: 5 }, status: { replicas: 5 } };

  const main = await send('PATCH', `${DEPLOYMENTS}/web`, patch);
  const status = await send('PATCH', `${DEPLOYMENTS}/web/status`, {
    spec: { replicas: 7 },
    status: { replicas: 7 },
  });

  expect(main.body).toMatchObject({ spec: { replicas: 5 }, status: {} });
  expect(main.body.status.replicas).toBeUndefined();
  expect(status.body).toMatchObject({ spec: { replicas: 5 }, status: { replicas: 7 } });
});

test('every write records the manager from fieldManager or User-Agent in managedFields', async () => {
  // Entries are in the order of their seconds: here of one second, and so of their names.
  const { send } = await startCluster({ clock: new FakeClock() });
  await send('POST', CONFIG_MAPS, configMap('a'), { 'user-agent': 'operator/1.2 (linux)' });

  const { body } = await send('PATCH', `${CONFIG_MAPS}/a?fieldManager=me`, { data: { l: 'w' } });

  expect(body.metadata.managedFields).toMatchObject([
    { manager: 'me', operation: 'Update', fieldsV1: { 'f:data': { 'f:l': {} } } },
    { manager: 'operator', operation: 'Update' },
  ]);
});

test('a deleted object stays until its finalizer is removed', async () => {
  const { send, server } = await startCluster();
  server.create(configMap('a', { finalizers: ['example.dev/cleanup'] }));
  const path = `${CONFIG_MAPS}/a`;

  const deleted = await send('DELETE', path);
  const again = await send('DELETE', path);
  const created = await send('POST', CONFIG_MAPS, configMap('a'));
  const released = await send('PATCH', path, { metadata: { finalizers: null } });

  expect(deleted.body).toMatchObject({
    kind: 'ConfigMap',
    metadata: { deletionGracePeriodSeconds: 0, finalizers: ['example.dev/cleanup'] },
  });
  expect(again.body).toEqual(deleted.body);
  expect(created.body.message).toBe('object is being deleted: configmaps "a" already exists');
  expect(released.body.metadata.resourceVersion).toBe(deleted.body.metadata.resourceVersion);
  expect(server.get('v1', 'ConfigMap', 'default', 'a')).toBeUndefined();
});

test('a dry run is answered as usual and changes nothing', async () => {
  const { send, server } = await startCluster();
  server.create(configMap('a'));

  const created = await send('POST', `${CONFIG_MAPS}?dryRun=All`, configMap('b'));
  const patched = await send('PATCH', `${CONFIG_MAPS}/a?dryRun=All`, { data: { k: 'w' } });
  const deleted = await send('DELETE', `${CONFIG_MAPS}/a?dryRun=All`);

  expect([created.status, patched.status, deleted.status]).toEqual([201, 200, 200]);
  expect(created.body.metadata.resourceVersion).toBeUndefined();
  expect(patched.body.data).toEqual({ k: 'w' });
  expect(server.list('v1', 'ConfigMap')).toMatchObject([
    { metadata: { name: 'a' }, data: { k: 'v' } },
  ]);
});

test('the selector of a Deployment is immutable', async () => {
  const { send } = await startCluster();
  await send('POST', DEPLOYMENTS, deployment('web'));

  const { status, body } = await send('PATCH', `${DEPLOYMENTS}/web`, {
    spec: { selector: { matchLabels: { app: 'web', tier: 'front' } } },
  });

  expect(status).toBe(422);
  expect(body.message).toContain('field is immutable');
});

test('a PUT of an object that does not exist creates a Lease, but not a ConfigMap', async () => {
  const { send } = await startCluster();
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' } };

  const put = await send('PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/a', lease);
  const other = await send('PUT', `${CONFIG_MAPS}/a`, configMap('a'));

  expect([put.status, other.status]).toEqual([201, 404]);
});

test('both Event APIs serve the same Events, each in its own format', async () => {
  const { send } = await startCluster();
  const path = '/apis/events.k8s.io/v1/namespaces/default/events';
  await send('POST', path, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a.1' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    type: 'Normal',
    reason: 'Restarted',
    action: 'Restart',
    note: 'restarted 2 Pods',
    reportingController: 'example.dev/operator',
    reportingInstance: 'operator-0',
    regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
  });

  const core = await send('GET', '/api/v1/namespaces/default/events/a.1');
  const same = await send('GET', `${path}/a.1`);

  expect(core.body).toMatchObject({
    apiVersion: 'v1',
    message: 'restarted 2 Pods',
    involvedObject: { kind: 'ConfigMap', name: 'a' },
    reportingComponent: 'example.dev/operator',
  });
  expect(same.body).toMatchObject({ note: 'restarted 2 Pods', regarding: { name: 'a' } });
  expect(same.body.metadata.resourceVersion).toBe(core.body.metadata.resourceVersion);
});

test('[F-9] a deleted namespace stays until its finalizer is removed', async () => {
  const { send } = await startCluster();
  await send('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'old' },
  });

  const deleted = await send('DELETE', '/api/v1/namespaces/old');
  const finalized = await send('PUT', '/api/v1/namespaces/old/finalize', {
    ...deleted.body,
    spec: { finalizers: [] },
  });
  const gone = await send('GET', '/api/v1/namespaces/old');

  expect(deleted.body.status.phase).toBe('Terminating');
  expect([finalized.status, gone.status]).toEqual([200, 404]);
});
