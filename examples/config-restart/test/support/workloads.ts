import { controllerOf, type OwnerReference, type Resource, type Workload } from 'chancery';
import {
  type ConfigMap,
  configMaps,
  type coreV1,
  deployments,
  type Pod,
  pods,
  replicaSets,
  statefulSets,
} from 'chancery/kubernetes';
import type { FakeCluster } from './fake-cluster.ts';

type Labels = Readonly<Record<string, string>>;

const containers = [{ name: 'app', image: 'app:1' }];

export function podTemplate(labels: Labels): coreV1.PodTemplateSpec {
  return { metadata: { labels }, spec: { containers } };
}

export interface AppOptions {
  readonly replicas?: number;
  readonly labels?: Labels;
  readonly ready?: boolean;
}

/** A Deployment with its ReplicaSet and Pods, as its controllers leave them. */
export function putDeployment(
  cluster: FakeCluster,
  name: string,
  { replicas = 3, labels = { app: name }, ready = true }: AppOptions = {},
): Workload {
  const spec = { replicas, selector: { matchLabels: labels }, template: podTemplate(labels) };
  const deployment = cluster.put(deployments, { metadata: { name }, spec });
  const replicaSet = cluster.put(replicaSets, {
    metadata: { name: `${name}-5d`, ownerReferences: [ownerOf(deployment)] },
    spec,
  });
  putPods(cluster, replicaSet, labels, replicas, ready);
  return deployment;
}

/** A StatefulSet or DaemonSet with its Pods. */
export function putSet(
  cluster: FakeCluster,
  resource: Resource<Workload>,
  name: string,
  updateStrategy = 'RollingUpdate',
): Workload {
  const labels = { app: name };
  const workload = cluster.put(resource, {
    metadata: { name },
    spec: {
      ...(resource === statefulSets ? { replicas: 2 } : {}),
      selector: { matchLabels: labels },
      template: podTemplate(labels),
      updateStrategy: { type: updateStrategy },
    },
    status: { desiredNumberScheduled: 2 } as Workload['status'] & object,
  });
  putPods(cluster, workload, labels, 2, true);
  return workload;
}

/** One Pod. */
export function putPod(
  cluster: FakeCluster,
  name: string,
  labels: Labels,
  { owner, ready = true, ...rest }: Partial<Pod> & { owner?: OwnerReference; ready?: boolean } = {},
): Pod {
  const metadata = { name, labels, ...(owner === undefined ? {} : { ownerReferences: [owner] }) };
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  const status = { phase: 'Running', conditions };
  return cluster.put(pods, { metadata, spec: { containers }, status, ...rest });
}

/** What the controllers and a kubelet do for one owner: missing Pods appear, and become Ready. */
export function replacePods(cluster: FakeCluster, owner: Workload, ready = true): void {
  const labels = owner.spec.selector?.matchLabels ?? {};
  putPods(cluster, owner, labels, owner.spec.replicas ?? 2, ready);
}

export function putConfigMap(
  cluster: FakeCluster,
  name: string,
  value: string,
  metadata: Partial<ConfigMap['metadata']> = {},
): ConfigMap {
  return cluster.put(configMaps, { metadata: { name, ...metadata }, data: { message: value } });
}

export function ownerOf({
  apiVersion,
  kind,
  metadata,
}: Pick<Workload, 'apiVersion' | 'kind' | 'metadata'>): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
}

/** How often the template of a workload was changed: its generation, less its creation. */
export function restartsOf(
  cluster: FakeCluster,
  name: string,
  resource: Resource<Workload> = deployments,
): number {
  return (cluster.read(resource, name)?.metadata.generation ?? 0) - 1;
}

export function podNames(cluster: FakeCluster): readonly string[] {
  return cluster
    .all(pods)
    .map(({ metadata }) => metadata.name)
    .sort();
}

export function podUids(cluster: FakeCluster): ReadonlySet<string | undefined> {
  return new Set(cluster.all(pods).map(({ metadata }) => metadata.uid));
}

/** Fills up to `count` Pods; a new one takes the first free name. */
function putPods(
  cluster: FakeCluster,
  owner: Workload,
  labels: Labels,
  count: number,
  ready: boolean,
): void {
  const isAlive = (pod: Pod): boolean =>
    controllerOf(pod)?.uid === owner.metadata.uid && pod.metadata.deletionTimestamp === undefined;
  for (let ordinal = 0; cluster.all(pods).filter(isAlive).length < count; ordinal++) {
    const name = `${owner.metadata.name}-${ordinal}`;
    if (cluster.read(pods, name)) continue;
    putPod(cluster, name, labels, { owner: ownerOf(owner), ready });
  }
}
