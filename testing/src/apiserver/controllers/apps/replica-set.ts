import type { ApiError, Clock, Condition, ObjectKey } from 'chancery';
import { splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import {
  createdOrReported,
  deletedOrReported,
  withFailure,
  workAndReport,
} from '../pods/creation-failure.ts';
import { claimDependents, watchDependents, watchOrphans, watchSelf } from '../pods/dependents.ts';
import { availableInMs, isActive, isReady, isTerminating, type Pod } from '../pods/pod.ts';
import { PODS, type PodTemplate, podFrom } from '../pods/pod-template.ts';
import { Slice } from '../runner/slice.ts';
import { type Again, earliest, type WorkloadController } from '../runner/workload-controller.ts';

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

/** Keeps the number of Pods at `spec.replicas`: creates missing Pods, and deletes surplus Pods. */
export function replicaSetController(
  access: ClusterAccess,
  clock: Clock,
  record: RecordEvent = recordNothing,
): WorkloadController {
  return {
    watches: [
      watchSelf(REPLICA_SETS),
      watchDependents(PODS, 'ReplicaSet'),
      watchOrphans(access, PODS, REPLICA_SETS),
    ],
    reconcile: (key) => reconcile({ access, clock, record }, key),
  };
}

interface Tools {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly record: RecordEvent;
}

function reconcile(tools: Tools, key: ObjectKey): Again {
  const { access } = tools;
  const { namespace, name } = splitKey(key);
  const set = access.get(REPLICA_SETS, namespace, name) as ReplicaSet | undefined;
  if (set === undefined) return undefined;
  const pods = claimDependents(access, PODS, set) as readonly Pod[];
  // Pods that are created or deleted in this turn are counted in the next turn, when their events have
  // arrived.
  const inMs = pods
    .filter(isActive)
    .map((pod) => availableInMs(pod, set.spec.minReadySeconds ?? 0, tools.clock.now()));
  return workAndReport(
    () =>
      set.metadata.deletionTimestamp === undefined
        ? manage(tools, set, pods.filter(isActive))
        : undefined,
    (failure) => {
      reportStatus(tools, set, pods, inMs, failure);
      return earliest(inMs);
    },
  );
}

function manage(tools: Tools, set: ReplicaSet, active: readonly Pod[]): 'more' | undefined {
  const slice = new Slice(tools.clock);
  let missing = (set.spec.replicas ?? 1) - active.length;
  for (; missing > 0 && !slice.isOver; missing--) slice.step(() => createPod(tools, set));
  if (missing >= 0) return missing > 0 ? 'more' : undefined;
  const superfluous = active.toSorted(byDispensability).slice(0, -missing);
  const isDone = slice.forEach(superfluous, ({ metadata }) => {
    const options = metadata.uid === undefined ? {} : { uid: metadata.uid };
    deletedOrReported(tools.record, set, () =>
      tools.access.delete(PODS, metadata.namespace, metadata.name, options),
    );
    tools.record(set, { reason: 'SuccessfulDelete', message: `Deleted pod: ${metadata.name}` });
  });
  return isDone ? undefined : 'more';
}

function createPod({ access, record }: Tools, set: ReplicaSet): void {
  const generateName = `${set.metadata.name}-`;
  const { metadata } = createdOrReported(record, set, () =>
    access.create(PODS, podFrom(set.spec.template, set, { generateName })),
  );
  record(set, { reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
}

/**
 * Sorts Pods in the order in which they should be deleted: unscheduled Pods, then Pods that are not running,
 * then unready Pods. Among equals, the youngest Pod comes first.
 */
function byDispensability(left: Pod, right: Pod): number {
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

function reportStatus(
  { access, clock }: Tools,
  set: ReplicaSet,
  pods: readonly Pod[],
  inMs: readonly (number | undefined)[],
  failure: ApiError | undefined,
): void {
  const { namespace, name, uid, generation } = set.metadata;
  const active = pods.filter(isActive);
  const labels = Object.entries(set.spec.template.metadata?.labels ?? {});
  const current = access.get(REPLICA_SETS, namespace, name) as ReplicaSet | undefined;
  if (current === undefined || current.metadata.uid !== uid) return;
  const reason = active.length > (set.spec.replicas ?? 1) ? 'FailedDelete' : 'FailedCreate';
  const problem = failure && ({ reason, error: failure } as const);
  const conditions = withFailure(conditionsOf(current), problem, clock.now());
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
      ...(conditions.length === 0 ? {} : { conditions }),
    },
  } as StoredObject);
}

function conditionsOf({ status }: ReplicaSet): readonly Condition[] {
  return (status?.conditions ?? []) as readonly Condition[];
}

/** Removes counts that are zero, because Go omits zeros in JSON. */
export function nonZero<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => count !== 0),
  ) as Partial<T>;
}
