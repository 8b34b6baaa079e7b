/** Which answers tell the resourceVersion of a deletion, and from which release on. */
import type { KubernetesObject } from 'chancery';
import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

/** The resourceVersion of what happens to one object, the latest last. */
function versionsOf({ server }: TestCluster, resource: string): string[] {
  const versions: string[] = [];
  server.subscribe((changed, { object }) => {
    if (changed === resource) versions.push(object.metadata.resourceVersion ?? '');
  });
  return versions;
}

describe('the resourceVersion in the answer to a deletion', () => {
  test.each([
    ['1.37', false],
    ['1.38', true],
  ] as const)('the Status for a deletion in Kubernetes %s has the resourceVersion of the deletion: %s', async (generation, has) => {
    const cluster = await startCluster({ generation });
    cluster.server.create(configMap('a'));
    const versions = versionsOf(cluster, 'configmaps');

    const { body } = await cluster.send('DELETE', `${CONFIG_MAPS}/a`);

    expect(body).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a' } });
    expect(versions).toHaveLength(1);
    expect(body.metadata).toEqual(has ? { resourceVersion: versions[0] } : {});
  });

  test('the Status for a deleted cluster-scoped object in Kubernetes 1.38 has the resourceVersion of the deletion', async () => {
    const cluster = await startCluster({ generation: '1.38' });
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
    cluster.server.create({ ...role, metadata: { name: 'r' }, rules: [] } as never);
    const versions = versionsOf(cluster, 'clusterroles.rbac.authorization.k8s.io');

    const { body } = await cluster.send(
      'DELETE',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/r?propagationPolicy=Background',
    );

    expect(body.metadata).toEqual({ resourceVersion: versions.at(-1) });
  });

  test('a deletion that a finalizer delays is answered with the object and its resourceVersion', async () => {
    const cluster = await startCluster({ generation: '1.38' });
    cluster.server.create(configMap('a', { finalizers: ['x.example/hold'] }));
    const versions = versionsOf(cluster, 'configmaps');

    const { body } = await cluster.send('DELETE', `${CONFIG_MAPS}/a`);

    expect(body.kind).toBe('ConfigMap');
    expect(body.metadata.resourceVersion).toBe(versions.at(-1));
  });

  test('the Status for a dry run of a deletion has no resourceVersion', async () => {
    const cluster = await startCluster({ generation: '1.38' });
    cluster.server.create(configMap('a'));

    const { body } = await cluster.send('DELETE', `${CONFIG_MAPS}/a?dryRun=All`);

    expect(body).toMatchObject({ kind: 'Status', metadata: {} });
    expect(body.metadata.resourceVersion).toBeUndefined();
  });

  test.each([
    ['1.24', false],
    ['1.30', true],
    ['1.36', true],
  ] as const)('the deleted Pod in the answer of Kubernetes %s has the resourceVersion of the deletion: %s', async (generation, has) => {
    const cluster = await startCluster({ generation });
    const created = cluster.server.create(POD as KubernetesObject);
    const versions = versionsOf(cluster, 'pods');

    const { body } = await cluster.send(
      'DELETE',
      '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0',
    );

    expect(body.kind).toBe('Pod');
    const { resourceVersion } = created.metadata as { resourceVersion?: string };
    expect(body.metadata.resourceVersion).toBe(has ? versions.at(-1) : resourceVersion);
  });

  test.each([
    ['1.37', false],
    ['1.38', true],
  ] as const)('the Status for an eviction in Kubernetes %s has the resourceVersion of its last change: %s', async (generation, has) => {
    const cluster = await startCluster({ generation });
    cluster.server.create(POD as never);
    const versions = versionsOf(cluster, 'pods');

    const { body } = await cluster.send('POST', '/api/v1/namespaces/default/pods/p/eviction', {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p' },
    });

    expect(body).toMatchObject({ status: 'Success', code: 201 });
    expect(body.metadata).toEqual(has ? { resourceVersion: versions.at(-1) } : {});
  });

  test.each([
    ['1.37', false],
    ['1.38', true],
  ] as const)('the Status for a binding in Kubernetes %s has the resourceVersion of the Pod: %s', async (generation, has) => {
    const cluster = await startCluster({ generation });
    cluster.server.create(POD as never);
    const versions = versionsOf(cluster, 'pods');

    const { body } = await cluster.send('POST', '/api/v1/namespaces/default/pods/p/binding', {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'n' },
    });

    expect(body).toMatchObject({ status: 'Success', code: 201 });
    expect(body.metadata).toEqual(has ? { resourceVersion: versions.at(-1) } : {});
  });
});
