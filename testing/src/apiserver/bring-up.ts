import type { KubernetesObject } from 'chancery';
import { SYSTEM_CLASSES } from './admission/pod-admission.ts';
import { keepQuotaStatus } from './admission/quota/quota-status.ts';
import { OWN_ADDRESS } from './admission/service-addresses.ts';
import { releaseProtected } from './admission/storage-protection.ts';
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
import { servableSnapshot } from './servable-snapshot.ts';
import type { StorageSnapshot } from './storage/snapshot.ts';
import { cannotRestore } from './storage/snapshot-contents.ts';

/** The field manager of the writes that tests make without HTTP. */
export const IN_PROCESS_MANAGER = 'embedded-api-server';

/** Namespaces that a control plane creates, in addition to the namespaces that every server has. */
const CONTROL_PLANE_NAMESPACES: readonly string[] = ['kube-node-lease', 'kube-public'];

/**
 * Creates the objects that every cluster has, and starts what runs in the background of the server, such as
 * controllers.
 *
 * @param endings - receives, for everything that was started, a function that ends it.
 */
export async function bringUp(
  cluster: Cluster,
  options: ApiServerOptions,
  closeWatches: (resource: ResourceName) => void,
  endings: (() => void)[],
): Promise<void> {
  const { workloads = false, authorization, definitionDelays = false, snapshot } = options;
  const accessOf = (manager: string): InProcessAccess => new InProcessAccess(cluster, manager);
  const access = accessOf(IN_PROCESS_MANAGER);
  const pace = definitionDelays ? REAL_PACE : NO_PACE;
  const definitions = new Definitions(cluster, { pace, closeWatches });
  endings.push(cluster.watchCache.start(), definitions.start());
  if (cluster.behaviour.storageMigrations.length > 0) {
    endings.push(new StorageMigrations(cluster).start());
  }
  if (snapshot !== undefined) restore(cluster, snapshot);
  endings.push(keepQuotaStatus(cluster, accessOf));
  endings.push(releaseProtected(cluster, accessOf('kube-controller-manager')));
  const ensure = (object: KubernetesObject, by = access): void => {
    if (snapshot === undefined || !isThere(by, object)) by.createObject(object);
  };
  for (const name of ['default', 'kube-system']) ensure(namespace(name));
  if (workloads !== false) {
    for (const object of controlPlaneObjects(cluster.clock.now())) ensure(object);
    for (const object of [ownService(options.port), ...systemPriorityClasses()]) {
      ensure(object, accessOf('kube-apiserver'));
    }
  }
  if (countsRoles(authorization)) {
    for (const object of bootstrapPolicy()) {
      const { namespace } = object.metadata;
      // A server without controllers lacks some of these namespaces.
      if (namespace !== undefined && !access.get('namespaces', undefined, namespace)) continue;
      ensure(object);
    }
    endings.push(aggregateRoles(accessOf('clusterrole-aggregation-controller')));
  }
  if (workloads === false) return;
  // Imported lazily, because these are many files, and a server without controllers does not need them.
  const { startWorkloads } = await import('./controllers/workloads.ts');
  const running = startWorkloads(accessOf, workloads, cluster.clock);
  endings.push(() => running.close());
}

/** @throws ConfigurationError `CONFIG` for objects that this server cannot serve. */
function restore(cluster: Cluster, snapshot: StorageSnapshot): void {
  cluster.storage.restore(servable(cluster, snapshot));
  cluster.watchCache.restart();
}

/**
 * @throws ConfigurationError `CONFIG` with the file of the snapshot when this server cannot serve the
 * snapshot.
 */
function servable(cluster: Cluster, snapshot: StorageSnapshot): StorageSnapshot {
  try {
    return servableSnapshot(cluster, snapshot);
  } catch (error) {
    throw snapshot.path === undefined ? error : cannotRestore(snapshot.path, error);
  }
}

/** Whether an object already exists. After a restore, most of these objects do. */
function isThere(
  access: InProcessAccess,
  { apiVersion, kind, metadata }: KubernetesObject,
): boolean {
  const resource = access.resourceOf(apiVersion, kind);
  return (
    resource !== undefined && access.get(resource, metadata.namespace, metadata.name) !== undefined
  );
}

function namespace(name: string): StoredObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** The objects that a real control plane creates before the first client connects. */
function controlPlaneObjects(nowMs: number): readonly StoredObject[] {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return [
    ...CONTROL_PLANE_NAMESPACES.map(namespace),
    // Lists the authorities of client certificates. It is empty, because the server accepts no client
    // certificates.
    settings('extension-apiserver-authentication', {}),
    // The date on which the server began to record the use of old tokens.
    settings('kube-apiserver-legacy-service-account-token-tracking', { since: day }),
  ];
}

/**
 * The Service by which Pods find the API server. It has no endpoints, because this server listens
 * on a loopback address, which is not allowed for endpoints.
 */
function ownService(port = 0): StoredObject {
  const targetPort = port === 0 ? USUAL_PORT : port;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: OWN_ADDRESS,
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort }],
      sessionAffinity: 'None',
      ipFamilyPolicy: 'SingleStack',
    },
  };
}

/** The PriorityClasses that an API server creates itself (pkg/apis/scheduling/v1/helpers.go). */
function systemPriorityClasses(): readonly StoredObject[] {
  const descriptions = {
    'system-node-critical':
      'Used for system critical pods that must not be moved from their current node.',
    'system-cluster-critical':
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  };
  return Object.entries(descriptions).map(([name, description]) => ({
    ...{ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name } },
    value: SYSTEM_CLASSES[name],
    description,
  }));
}

/** The port on which an API server set up by kubeadm listens. */
const USUAL_PORT = 6_443;

function settings(name: string, data: Readonly<Record<string, string>>): StoredObject {
  const metadata = { name, namespace: 'kube-system' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}
