import { keepQuotaStatus } from './admission/quota/quota-status.ts';
import type { ApiServerOptions } from './api-server-options.ts';
import { countsRoles } from './auth/authorization.ts';
import { bootstrapPolicy } from './auth/bootstrap-policy.ts';
import { aggregateRoles } from './auth/role-aggregation.ts';
import type { Cluster } from './cluster.ts';
import type { ResourceName } from './cluster-access.ts';
import { controlPlaneObjects } from './controllers/control-plane.ts';
import { NO_PACE, REAL_PACE } from './crd/definition-pace.ts';
import { Definitions } from './crd/definitions.ts';
import { InProcessAccess } from './in-process-access.ts';

/** Who writes when a test does so without HTTP. */
export const IN_PROCESS_MANAGER = 'embedded-api-server';

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
