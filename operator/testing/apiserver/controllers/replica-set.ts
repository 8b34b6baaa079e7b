import type { Clock } from '../../../core/clock.ts';
import { controllerOf, type ObjectKey, splitKey } from '../../../model/object.ts';
import type { ClusterAccess, ResourceName, StoredObject } from '../cluster-access.ts';
import { claimDependents, watchDependents, watchOrphans, watchSelf } from './dependents.ts';
import { availableInMs, isActive, isReady, isTerminating, type Pod } from './pod.ts';
import { PODS, type PodTemplate, podFrom } from './pod-template.ts';
import { earliest } from './requeue.ts';
import type { WorkloadController } from './workload-controller.ts';

export const REPLICA_SETS: ResourceName = 'replicasets.apps';

export interface ReplicaSetStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly [field: string]: unknown;
}

export interface ReplicaSet extends StoredObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: object;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaSetStatus;
}

/** Keeps as many Pods as `spec.replicas` says: creates what is missing, deletes what is too much. */
export function replicaSetController(access: ClusterAccess, clock: Clock): WorkloadController {
  return {
    watches: [
      watchSelf(REPLICA_SETS),
      watchDependents(PODS, 'ReplicaSet'),
      watchOrphans(access, PODS, REPLICA_SETS),
    ],
    reconcile: (key) => reconcile(access, clock, key),
  };
}

function reconcile(access: ClusterAccess, clock: Clock, key: ObjectKey): number | undefined {
  const { namespace, name } = splitKey(key);
  const set = access.get(REPLICA_SETS, namespace, name) as ReplicaSet | undefined;
  if (set === undefined) return undefined;
  const pods = claimDependents(access, PODS, set) as readonly Pod[];
  if (set.metadata.deletionTimestamp === undefined) manage(access, set, pods.filter(isActive));
  return reportStatus(access, clock, set);
}

function manage(access: ClusterAccess, set: ReplicaSet, active: readonly Pod[]): void {
  const missing = (set.spec.replicas ?? 1) - active.length;
  for (let made = 0; made < missing; made++) {
    access.create(PODS, podFrom(set.spec.template, set, { generateName: `${set.metadata.name}-` }));
  }
  if (missing < 0) {
    for (const { metadata } of active.toSorted(byDispensability).slice(0, -missing)) {
      const options = metadata.uid === undefined ? {} : { uid: metadata.uid };
      access.delete(PODS, metadata.namespace, metadata.name, options);
    }
  }
}

/** Pods that serve least go first: not placed, not running, not ready, and of equals the youngest. */
export function byDispensability(left: Pod, right: Pod): number {
  return usefulness(left) - usefulness(right) || age(left) - age(right);
}

function usefulness(pod: Pod): number {
  if (pod.spec.nodeName === undefined || pod.spec.nodeName === '') return 0;
  if (pod.status?.phase !== 'Running') return 1;
  return isReady(pod) ? 3 : 2;
}

function age({ metadata }: Pod): number {
  return -Date.parse(metadata.creationTimestamp ?? '') || 0;
}

function reportStatus(access: ClusterAccess, clock: Clock, set: ReplicaSet): number | undefined {
  const { namespace, name, uid, generation } = set.metadata;
  const pods = (access.list(PODS, namespace) as readonly Pod[]).filter(
    (pod) => controllerOf(pod)?.uid === uid,
  );
  const active = pods.filter(isActive);
  const labels = Object.entries(set.spec.template.metadata?.labels ?? {});
  const inMs = active.map((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, clock.now()));
  const current = access.get(REPLICA_SETS, namespace, name) as ReplicaSet | undefined;
  if (current === undefined || current.metadata.uid !== uid) return undefined;
  access.updateStatus(REPLICA_SETS, {
    ...current,
    status: {
      replicas: active.length,
      ...nonZero({
        fullyLabeledReplicas: active.filter((pod) =>
          labels.every(([label, value]) => pod.metadata.labels?.[label] === value),
        ).length,
        readyReplicas: active.filter(isReady).length,
        availableReplicas: inMs.filter((ms) => ms === 0).length,
      }),
      terminatingReplicas: pods.filter(isTerminating).length,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    },
  } as StoredObject);
  return earliest(inMs);
}

/** Counts as Go writes them: a zero is left out. */
export function nonZero<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => count !== 0),
  ) as Partial<T>;
}
