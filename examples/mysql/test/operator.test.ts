/** MySQLCluster, as its manifests have it. */

import { eventually } from '@chancery/testing';
import type { ConfigMap } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { CLUSTER, type Scene, SECRET, start, untilReady, VERSION } from './start.ts';

const patch = ({ env, namespace }: Scene, spec: object): Promise<unknown> =>
  env.patch(VERSION, 'MySQLCluster', namespace, 'my-cluster', { spec });

test('acceptance 3, MY8, MY14, MY15, MY20: the minimal sample gets all its objects, and changes of its spec take effect', async () => {
  const scene = await start();
  const { env, namespace } = scene;

  await scene.apply(SECRET);
  await scene.apply(CLUSTER);
  const cluster = await untilReady(scene.cluster, 'ReplicasReady');
  const owner = { kind: 'MySQLCluster', uid: cluster.metadata.uid, controller: true };
  const owned = { metadata: { ownerReferences: [owner] } };

  expect(cluster.spec).toMatchObject({ storage: '1Gi', replicas: 2, port: 3306 });
  expect(cluster.status).toMatchObject({ state: 'Successful update', readyReplicas: 2 });
  const config = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'my-cluster-mysql');
  expect(config).toMatchObject(owned);
  expect(Object.keys(config?.data ?? {})).toEqual(['master.cnf', 'slave.cnf']);
  for (const name of ['my-cluster', 'my-cluster-read']) {
    expect(await scene.service(name)).toMatchObject({ ...owned, spec: { clusterIP: 'None' } });
  }
  expect(await scene.statefulSet()).toMatchObject({
    ...owned,
    spec: {
      replicas: 2,
      serviceName: 'my-cluster',
      selector: { matchLabels: { app: 'my-cluster' } },
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '1Gi' } } } }],
    },
  });

  await patch(scene, { replicas: 0 });
  await eventually(async () => (await scene.statefulSet())?.spec?.replicas === 0);
  await eventually(async () => (await scene.cluster())?.status?.readyReplicas === 0);
  await untilReady(scene.cluster, 'ReplicasReady');
  const told = scene.writes().filter((write) => write.includes('mysqlclusters'));

  expect(new Set(told)).toEqual(new Set([`patch mysqlclusters.${VERSION.slice(0, -3)} status`]));
  await expect(patch(scene, { storage: '2Gi' })).rejects.toThrow('volumes keep the size');
});
