import { ConfigurationError } from 'chancery';
import { expect, test } from 'vitest';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { parseSnapshot } from '../../src/apiserver/storage/snapshot-file.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster } from './support/cluster.ts';
import { summary, watch } from './support/watched.ts';

function revisionOf({ metadata }: { metadata: object }): number {
  return Number((metadata as { resourceVersion?: string }).resourceVersion);
}

test('[F-1] [F-2] a restore brings back objects, uids and revisions, and ends open watches', async () => {
  const cluster = await startCluster();
  const { server, send } = cluster;
  const kept = server.create(configMap('kept'));
  const snapshot = server.snapshot();
  server.delete('v1', 'ConfigMap', 'default', 'kept');
  server.create(configMap('kept'));
  const lost = server.create(configMap('lost'));
  const watched = await watch(
    cluster,
    `${CONFIG_MAPS}?watch=1&resourceVersion=${revisionOf(lost)}`,
  );

  server.restore(snapshot);
  const listed = await send('GET', CONFIG_MAPS);

  expect(await watched.rest()).toEqual([]);
  expect(listed.body.metadata.resourceVersion).toBe(String(snapshot.revision));
  expect(listed.body.items.map((one: { metadata: object }) => one.metadata)).toEqual([
    expect.objectContaining({ name: 'kept', uid: (kept.metadata as { uid?: string }).uid }),
  ]);
  expect(revisionOf(server.create(configMap('next')))).toBe(snapshot.revision + 1);
});

test('[F-2] a watch from a revision that a restore undid gets no events until new changes have passed that revision', async () => {
  const cluster = await startCluster();
  const { server } = cluster;
  const snapshot = server.snapshot();
  server.create(configMap('a'));
  const ahead = revisionOf(server.create(configMap('b')));
  server.restore(snapshot);

  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${ahead}`);
  for (const name of ['c', 'd', 'e']) server.create(configMap(name));

  expect(summary((await watched.next()) as never)).toBe('ADDED e');
});

test('[F-3] a list at a revision that a restore undid is answered 504 with resourceVersionMatch=NotOlderThan', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const { server, send } = await startCluster({ clock });
  const snapshot = server.snapshot();
  const ahead = revisionOf(server.create(configMap('a')));
  server.restore(snapshot);
  const listing = send(
    'GET',
    `${CONFIG_MAPS}?resourceVersion=${ahead}&resourceVersionMatch=NotOlderThan`,
  );
  await expect.poll(() => clock.pending).toBe(1);

  clock.advance(3_000);

  expect((await listing).status).toBe(504);
});

test('a restore also serves the custom resources of the snapshot', async () => {
  const { server, send } = await startCluster();
  const before = server.snapshot();
  server.create(definition());
  await expect
    .poll(async () => (await send('GET', '/apis/example.dev/v1/widgets')).status)
    .toBe(200);
  const after = server.snapshot();

  server.restore(before);
  const gone = await send('GET', '/apis/example.dev/v1/widgets');
  server.restore(after);

  expect(gone.status).toBe(404);
  await expect
    .poll(async () => (await send('GET', '/apis/example.dev/v1/widgets')).status)
    .toBe(200);
});

test('a snapshot of one server can be restored in another server', async () => {
  const first = await startCluster();
  first.server.create(configMap('a'));
  const second = await startCluster();

  second.server.restore(first.server.snapshot());

  const [one, other] = await Promise.all(
    [first, second].map(({ send }) => send('GET', CONFIG_MAPS)),
  );
  expect(one?.body).toEqual(other?.body);
});

test('a server started with a snapshot has its objects, uids, definitions and revision', async () => {
  const first = await startCluster();
  first.server.create(definition());
  first.server.create(widget('w'));
  first.server.create(configMap('a'));
  const snapshot = first.server.snapshot();

  const { server, send } = await startCluster({ snapshot });

  expect(server.snapshot().revision).toBe(snapshot.revision);
  for (const path of [CONFIG_MAPS, '/api/v1/namespaces', WIDGETS]) {
    expect((await send('GET', path)).body.items).toEqual(
      (await first.send('GET', path)).body.items,
    );
  }
  expect(revisionOf(server.create(widget('next')))).toBe(snapshot.revision + 1);
});

test('a server started with a snapshot answers older watches with 410, and resumes watches from the revision of the snapshot', async () => {
  const first = await startCluster();
  const old = revisionOf(first.server.create(configMap('a')));
  first.server.create(configMap('b'));
  const snapshot = first.server.snapshot();
  const cluster = await startCluster({ snapshot });
  cluster.server.create(configMap('c'));

  const [before, from] = await Promise.all(
    [old, snapshot.revision].map((revision) =>
      watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${revision}`),
    ),
  );

  expect((await before?.next())?.object.code).toBe(410);
  expect(summary((await from?.next()) as never)).toBe('ADDED c');
});

test('a server refuses to start with an invalid definition in its snapshot, and the error contains its name', async () => {
  const damaged = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.dev', uid: 'u', resourceVersion: '2' },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  };
  const resource = 'customresourcedefinitions.apiextensions.k8s.io';
  const header = { format: 'chancery snapshot', version: 1, revision: 2, objects: 1 };
  const lines = [header, { resource, object: damaged }].map((line) => `${JSON.stringify(line)}\n`);
  const snapshot = parseSnapshot(Buffer.from(lines.join('')));

  const starting = ApiServer.start({ snapshot });

  await expect(starting).rejects.toThrow(ConfigurationError);
  await expect(starting).rejects.toThrow(
    /^customresourcedefinitions\.apiextensions\.k8s\.io things\.example\.dev: spec: Required value/,
  );
});

test('a server with controllers adds only objects that its snapshot lacks, and continues the workloads', async () => {
  const options = { workloads: {}, authorization: 'RBAC' } as const;
  const first = await startCluster(options);
  first.server.applyManifest(DEPLOYMENT);
  const pods = (server: ApiServer): readonly string[] =>
    server
      .list('v1', 'Pod')
      .flatMap(({ metadata, ...pod }) =>
        (pod as { status?: { phase?: string } }).status?.phase === 'Running' ? metadata.name : [],
      );
  await expect.poll(() => pods(first.server)).toHaveLength(2);
  first.server.delete('v1', 'ConfigMap', 'kube-system', 'extension-apiserver-authentication');
  const snapshot = first.server.snapshot();

  const { server } = await startCluster({ ...options, snapshot });
  const roles = server.list('rbac.authorization.k8s.io/v1', 'ClusterRole');

  expect(pods(server)).toEqual(pods(first.server));
  expect(roles).toEqual(first.server.list('rbac.authorization.k8s.io/v1', 'ClusterRole'));
  expect(
    server.get('v1', 'ConfigMap', 'kube-system', 'extension-apiserver-authentication'),
  ).toBeDefined();
  server.patch('apps/v1', 'Deployment', 'default', 'web', { spec: { replicas: 3 } });
  await expect.poll(() => pods(server)).toHaveLength(3);
  expect(pods(server)).toEqual(expect.arrayContaining([...pods(first.server)]));
});

test('after a restart of the server, `continue` tokens still work, and no earlier watch can resume', async () => {
  const cluster = await startCluster();
  const { server, send } = cluster;
  const first = revisionOf(server.create(configMap('a')));
  server.create(configMap('b'));
  const page = await send('GET', `${CONFIG_MAPS}?limit=1`);
  server.create(configMap('c'));

  await server.stop();
  await server.listen();
  const next = await send('GET', `${CONFIG_MAPS}?limit=5&continue=${page.body.metadata.continue}`);
  const watched = await watch(cluster, `${CONFIG_MAPS}?watch=1&resourceVersion=${first}`);

  expect(next.body.items).toHaveLength(1);
  expect((await watched.next())?.object.code).toBe(410);
});

const WIDGETS = '/apis/example.dev/v1/namespaces/default/widgets';

function widget(name: string) {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'example.dev/v1', kind: 'Widget', metadata };
}

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: c, image: i }] }
`;

function definition() {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.dev' },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}
