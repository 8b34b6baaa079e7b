import type { KubernetesObject, ObjectMeta } from './object.ts';
import type { LabelSelector } from './selector.ts';

export type { Lease } from './kubernetes/coordination-v1.ts';
export type { ConfigMap, ObjectReference, Pod } from './kubernetes/core-v1.ts';
/** Renamed, because `Event` is a global type of Node. */
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

/** The common parts of Deployments, ReplicaSets, StatefulSets and DaemonSets. */
export interface Workload extends KubernetesObject {
  /** The common part of the spec. */
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template: { readonly metadata?: Partial<ObjectMeta> };
    readonly paused?: boolean;
    /** For StatefulSets and DaemonSets. `OnDelete` replaces Pods only after someone deletes them. */
    readonly updateStrategy?: { readonly type?: string };
  };
  /** The common part of the status. */
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly observedGeneration?: number;
  };
}
