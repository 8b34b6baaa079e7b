import type { KubernetesObject, ObjectMeta } from './object.ts';
import { defineResource, type Resource } from './resource.ts';
import type { LabelSelector } from './selector.ts';

export interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
  /** Values in base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

export interface Pod extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** What Deployments, ReplicaSets, StatefulSets and DaemonSets have in common. */
export interface Workload extends KubernetesObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template: { readonly metadata?: Partial<ObjectMeta> };
    readonly paused?: boolean;
    /** StatefulSet and DaemonSet; `OnDelete` replaces Pods only when somebody deletes them. */
    readonly updateStrategy?: { readonly type?: string };
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly observedGeneration?: number;
  };
}

export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** MicroTime: RFC 3339 with six fractional digits. */
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** `events.k8s.io/v1` Event. */
export interface KubernetesEvent extends KubernetesObject {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note?: string;
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly regarding: ObjectReference;
}

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

const core = { group: '', version: 'v1', namespaced: true } as const;
const apps = { group: 'apps', version: 'v1', namespaced: true } as const;

export const configMaps: Resource<ConfigMap> = defineResource({
  ...core,
  plural: 'configmaps',
  kind: 'ConfigMap',
});
export const pods: Resource<Pod> = defineResource({ ...core, plural: 'pods', kind: 'Pod' });
export const deployments: Resource<Workload> = defineResource({
  ...apps,
  plural: 'deployments',
  kind: 'Deployment',
});
export const replicaSets: Resource<Workload> = defineResource({
  ...apps,
  plural: 'replicasets',
  kind: 'ReplicaSet',
});
export const statefulSets: Resource<Workload> = defineResource({
  ...apps,
  plural: 'statefulsets',
  kind: 'StatefulSet',
});
export const daemonSets: Resource<Workload> = defineResource({
  ...apps,
  plural: 'daemonsets',
  kind: 'DaemonSet',
});
export const leases: Resource<Lease> = defineResource({
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
});
export const events: Resource<KubernetesEvent> = defineResource({
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
});

export const customResourceDefinitions: Resource = defineResource({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
});
