import type { KubernetesObject, ObjectMeta } from './object.ts';
import type { LabelSelector } from './selector.ts';

export type { Lease } from './kubernetes/coordination-v1.ts';
export type { ConfigMap, ObjectReference, Pod } from './kubernetes/core-v1.ts';
/** The type `Event` has another name here, because `Event` is a global type of Node. */
export type { Event as KubernetesEvent } from './kubernetes/events-v1.ts';
export {
  configMaps,
  customResourceDefinitions,
  daemonSets,
  deployments,
  events,
  leases,
  pods,
} from './kubernetes/resources.ts';

/** The fields that Deployments, ReplicaSets, StatefulSets and DaemonSets have in common. */
export interface Workload extends KubernetesObject {
  /** The fields of the spec that all four kinds of workloads have. */
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template: { readonly metadata?: Partial<ObjectMeta> };
    readonly paused?: boolean;
    /**
     * The update strategy of a StatefulSet or a DaemonSet. With `OnDelete`, a Pod is replaced only after it
     * was deleted by a user or a program.
     */
    readonly updateStrategy?: { readonly type?: string };
  };
  /** The fields of the status that all four kinds of workloads have. */
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly observedGeneration?: number;
  };
}
