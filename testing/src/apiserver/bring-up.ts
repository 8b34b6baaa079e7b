import { keepQuotaStatus } from './admission/quota/quota-status.ts';
import type { ApiServerOptions } from './api-server-options.ts';
import { countsRoles } from './auth/authorization.ts';
import { bootstrapPolicy } from './auth/bootstrap-policy.ts';
import type { Cluster } from './cluster/cluster.ts';
import { aggregateRoles } from './controllers/roles/role-aggregation.ts';
import { NO_PACE, REAL_PACE } from './crd/definition-pace.ts';
import { Definitions } from './crd/definitions.ts';
import { StorageMigrations } from './crd/storage-migration.ts';
import { InProcessAccess } from './in-process-access.ts';
import type { ResourceName, StoredObject } from './objects/stored-object.ts';

/** Who writes when a test does so without HTTP. */
export const IN_PROCESS_MANAGER = 'embedded-api-server';

/** Namespaces that a control plane makes, besides those that every server has. */
const CONTROL_PLANE_NAMESPACES: readonly string[] = ['kube-node-lease', 'kube-public'];

/**
 * Fills a new cluster with what every cluster has, and starts what looks after it.
 *
 * @param endings - gets what ends each part, as soon as that is started.
 */
export async function bringUp(
  cluster: Cluster,
  options: ApiServerOptions,
  closeWatches: (resource: ResourceName) => void,
  endings: (() => void)[],
): Promise<void> {
  const { workloads = false, authorization, definitionDelays = false } = options;
  const accessOf = (manager: string): InProcessAccess => new InProcessAccess(cluster, manager);
  const access = accessOf(IN_PROCESS_MANAGER);
  const pace = definitionDelays ? REAL_PACE : NO_PACE;
  const definitions = new Definitions(cluster, { pace, closeWatches });
  endings.push(cluster.watchCache.start(), definitions.start());
  if (cluster.behaviour.storageMigrations.length > 0)
    endings.push(new StorageMigrations(cluster).start());
  endings.push(keepQuotaStatus(cluster, accessOf));
  for (const name of ['default', 'kube-system']) {
    access.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  if (countsRoles(authorization)) {
    for (const object of bootstrapPolicy()) access.createObject(object);
    endings.push(aggregateRoles(accessOf('clusterrole-aggregation-controller')));
  }
  if (workloads === false) return;
  for (const object of controlPlaneObjects(cluster.clock.now())) access.createObject(object);
  // Many files, which a server without controllers need not read.
  const { startWorkloads } = await import('./controllers/workloads.ts');
  const running = startWorkloads(accessOf, workloads, cluster.clock);
  endings.push(() => running.close());
}

/** The objects that a real control plane makes before the first client connects. */
function controlPlaneObjects(nowMs: number): readonly StoredObject[] {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return [
    ...CONTROL_PLANE_NAMESPACES.map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })),
    // Names the authorities of client certificates: none, because the server takes no such certificate.
    settings('extension-apiserver-authentication', {}),
    // Says since when the server notes the use of old tokens.
    settings('kube-apiserver-legacy-service-account-token-tracking', { since: day }),
  ];
}

function settings(name: string, data: Readonly<Record<string, string>>): StoredObject {
  const metadata = { name, namespace: 'kube-system' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}
