import type { KubernetesObject, ObjectMeta } from './object.ts';
import type { LabelSelector } from './selector.ts';

export type { Lease } from './kubernetes/coordination-v1.ts';
export type { ConfigMap, ObjectReference, Pod } from './kubernetes/core-v1.ts';
/** The name `Event` is that of a type that Node has for all programs. */
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

/** What Deployments, ReplicaSets, StatefulSets and DaemonSets have in common. */
export interface Workload extends KubernetesObject {
  /** The part of the spec that they share. */
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template: { readonly metadata?: Partial<ObjectMeta> };
    readonly paused?: boolean;
    /** StatefulSet and DaemonSet; `OnDelete` replaces Pods only when somebody deletes them. */
    readonly updateStrategy?: { readonly type?: string };
  };
  /** The part of the status that they share. */
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly observedGeneration?: number;
  };
}
