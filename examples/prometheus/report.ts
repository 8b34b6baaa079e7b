import {
  controllerOf,
  type DesiredCondition,
  findCondition,
  formatSelector,
  objectKey,
  type ReconcileContext,
  type Result,
  type StatefulSet,
  selectorFromObject,
  statefulSets,
} from 'chancery';
import { childName, podLabels } from './children.ts';
import type { Rejected } from './monitors.ts';
import type { Prometheus } from './resources.ts';

/** What came of an attempt: a reason only where it was given up. */
export interface Outcome {
  readonly reason?: string;
  readonly message?: string;
  readonly set?: StatefulSet;
  /** Left out: as the status has it. */
  readonly rejected?: readonly Rejected[];
}

/** States the status, with an Event where an attempt was given up for a new reason. */
export async function report(
  prometheus: Prometheus,
  outcome: Outcome,
  { event, setStatus, store }: ReconcileContext<Prometheus>,
  result: Result,
): Promise<Result> {
  const { status, metadata, spec } = prometheus;
  const reconciled = reconciledCondition(outcome);
  const before = findCondition(status?.conditions, 'Reconciled');
  if (
    reconciled.status === 'False' &&
    (before?.reason !== reconciled.reason || before.message !== reconciled.message)
  ) {
    event('Warning', reconciled.reason, reconciled.message);
  }
  const cached = store(statefulSets).get(objectKey(metadata.namespace, childName(prometheus)));
  const isOurs = cached !== undefined && controllerOf(cached)?.uid === metadata.uid;
  const { replicas = 0, availableReplicas = 0 } =
    (outcome.set ?? (isOurs ? cached : undefined))?.status ?? {};
  const rejected = outcome.rejected ?? status?.rejectedServiceMonitors ?? [];
  await setStatus({
    replicas,
    availableReplicas,
    labelSelector: formatSelector(selectorFromObject({ matchLabels: podLabels(prometheus) })),
    ...(rejected.length > 0 && { rejectedServiceMonitors: rejected }),
    conditions: [availableCondition(availableReplicas, spec.replicas), reconciled],
  });
  return result;
}

function reconciledCondition({ reason, message, rejected = [] }: Outcome): DesiredCondition {
  if (reason !== undefined) {
    return { type: 'Reconciled', status: 'False', reason, message: message ?? '' };
  }
  return {
    type: 'Reconciled',
    status: 'True',
    reason: rejected.length > 0 ? 'ServiceMonitorsRejected' : 'AsSpecified',
    message: rejected.map(({ name, problem }) => `${name}: ${problem}`).join('; '),
  };
}

function availableCondition(available: number, wanted: number): DesiredCondition {
  const isAvailable = available >= wanted;
  return {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'ReplicasAvailable' : 'WaitingForReplicas',
    message: `${available} of ${wanted} replicas are available`,
  };
}
