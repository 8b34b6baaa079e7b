/** MySQLCluster, as its manifests have it. */

import { eventually } from '@chancery/testing';
import type { Pod, rbacV1 } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { ROLE } from '../labels.ts';
import { CLUSTER, PATIENT, start, untilReady, VERSION } from './start.ts';

test('acceptance 3, MY9: a cluster restored from a backup accepts a new port, even after the backup is deleted', async () => {
  const scene = await start();
  const { env, namespace } = scene;
  await scene.apply(CLUSTER);
  await env.create({
    apiVersion: VERSION,
    kind: 'MySQLBackupInstance',
    metadata: { name: 'my-backup-2017-12-14-01-22', namespace },
    ...{ spec: { schedule: 'my-backup', cluster: 'my-cluster' } },
  });
  await env.create({
    apiVersion: VERSION,
    kind: 'MySQLCluster',
    metadata: { name: 'restored', namespace },
    ...{ spec: { secret: 'my-secret', fromBackup: 'my-backup-2017-12-14-01-22' } },
  });
  const restored = () => scene.cluster('restored');

  await untilReady(restored, 'BackupNotCompleted');
  expect(await scene.statefulSet('restored')).toBeUndefined();
  await scene.apply(new URL('../sample/backup-config.yaml', import.meta.url));
  await untilReady(restored, 'ReplicasReady');
  expect((await scene.statefulSet('restored'))?.spec?.template.spec).toMatchObject({
    initContainers: [
      {},
      { volumeMounts: [{}, {}, { name: 'restore', subPath: 'my-backup-2017-12-14-01-22' }] },
    ],
    volumes: [{}, {}, {}, { persistentVolumeClaim: { claimName: 'my-backup' } }],
  });
  await env.delete(VERSION, 'MySQLBackupInstance', namespace, 'my-backup-2017-12-14-01-22');
  await eventually(async () => (await scene.instance('my-backup-2017-12-14-01-22')) === undefined);
  await env.patch(VERSION, 'MySQLCluster', namespace, 'restored', { spec: { port: 3307 } });
  const after = await eventually(async () => {
    const live = await restored();
    const isMade = (await scene.statefulSet('restored'))?.metadata.generation !== 1;
    return isMade && live?.status?.observedGeneration === 2 && live;
  });

  expect(after.status).toMatchObject({ state: 'Successful update' });
  expect((await scene.service('restored'))?.spec?.ports).toMatchObject([
    { name: 'mysql', port: 3307 },
  ]);
  expect((await scene.statefulSet('restored'))?.spec?.template.spec).toMatchObject({
    containers: [{ args: ['--port=3307'] }, {}],
    volumes: [{}, {}, {}, { persistentVolumeClaim: { claimName: 'my-backup' } }],
  });
});

test("MY16: the readers' Service selects the replica Pods", async () => {
  const scene = await start();
  await scene.apply(CLUSTER);
  await untilReady(scene.cluster, 'ReplicasReady');

  const roles = await eventually(async () => {
    const pods = await scene.env.list<Pod>('v1', 'Pod', scene.namespace);
    const found = pods.map(({ metadata }) => [metadata.name, metadata.labels?.[ROLE]]);
    return found.every(([, role]) => role !== undefined) && Object.fromEntries(found);
  });

  expect(roles).toEqual({ 'my-cluster-0': 'primary', 'my-cluster-1': 'replica' });
  const service = await scene.service('my-cluster-read');
  expect(service?.spec?.selector).toEqual({ app: 'my-cluster', [ROLE]: 'replica' });
});

test('MY6: an existing foreign Service is not changed and is reported once, and the cluster continues once the Service is gone', async () => {
  const scene = await start();
  const { env, namespace } = scene;
  const foreign = (name: string, finalizers: readonly string[]): Promise<unknown> =>
    env.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, finalizers },
      ...{ spec: { ports: [{ port: 80 }] } },
    });
  await foreign('my-cluster', ['example.com/slow']);
  await foreign('my-cluster-read', []);
  await env.delete('v1', 'Service', namespace, 'my-cluster');
  await scene.apply(CLUSTER);
  const { metadata } = await eventually(scene.cluster);

  await env.patch('v1', 'Service', namespace, 'my-cluster', { metadata: { finalizers: null } });
  const cluster = await untilReady(scene.cluster, 'NotOwned');

  expect(cluster.status?.state).toBe('Failed update');
  const made = await scene.service('my-cluster');
  expect(made?.metadata.ownerReferences).toMatchObject([{ uid: metadata.uid }]);
  expect((await scene.service('my-cluster-read'))?.spec?.ports).toMatchObject([{ port: 80 }]);
  expect(await scene.statefulSet()).toBeUndefined();
  await scene.operator.stop(); // and has told all it had to
  scene.startOperator();
  await scene.operator.untilReady();
  await scene.idle(); // and has looked again
  await env.delete('v1', 'Service', namespace, 'my-cluster-read');
  await untilReady(scene.cluster, 'ReplicasReady');
  await scene.operator.stop();
  expect(await scene.told('NotOwned')).toMatchObject([{ type: 'Warning' }]);
});

test('MY6: a failed step is retried until it succeeds', async () => {
  const isAbout = ({ resources = [] }: rbacV1.PolicyRule): boolean =>
    resources.includes('statefulsets');
  const scene = await start({ ownCluster: true, stopped: true, withheld: isAbout });
  const { env, namespace } = scene;
  const rbac = { apiGroup: 'rbac.authorization.k8s.io' };
  const grant = async (name: string, ...verbs: readonly string[]): Promise<void> => {
    const kept = { apiVersion: `${rbac.apiGroup}/v1`, metadata: { name, namespace } };
    const rules = [{ apiGroups: ['apps'], resources: ['statefulsets'], verbs }];
    await env.create({ ...kept, kind: 'Role', ...{ rules } });
    const subjects = [{ kind: 'ServiceAccount', name: 'mysql', namespace }];
    const roleRef = { ...rbac, kind: 'Role', name };
    await env.create({ ...kept, kind: 'RoleBinding', ...{ subjects, roleRef } });
  };
  await grant('reads', 'get', 'list', 'watch');
  await scene.apply(CLUSTER);
  scene.startOperator();
  await eventually(() => scene.refusals().length > 0, PATIENT);
  expect(await scene.statefulSet()).toBeUndefined();

  await grant('writes', 'create', 'patch');

  await untilReady(scene.cluster, 'ReplicasReady');
});

test('MY5: a cluster in a namespace that is not watched is not changed', async () => {
  const scene = await start();
  const elsewhere = await scene.env.namespace();
  await scene.env.apply(CLUSTER, { namespace: elsewhere });
  await scene.apply(CLUSTER);

  await untilReady(scene.cluster, 'ReplicasReady');

  expect(await scene.env.list('apps/v1', 'StatefulSet', elsewhere)).toEqual([]);
});
