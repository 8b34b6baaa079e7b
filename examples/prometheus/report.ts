import {
  type DesiredCondition,
  findCondition,
  formatSelector,
  isControlledBy,
  type Outcome,
  objectKey,
  type ReconcileContext,
  selectorFromObject,
} from 'chancery';
import { type StatefulSet, statefulSets } from 'chancery/kubernetes';
import { nameOf, podLabels } from './children.ts';
import type { Rejected } from './monitors.ts';
import type { Prometheus } from './resources.ts';

/** What came of an attempt: a reason only where it was given up. */
export interface Attempt {
  readonly reason?: string;
  readonly message?: string;
  readonly set?: StatefulSet;
  /** Left out: as the status has it. */
  readonly rejected?: readonly Rejected[];
  readonly moreRejected?: number;
  /** When to try again what was refused. Default: after a change. */
  readonly next?: Outcome;
}

/** States the status, with an Event where an attempt was given up for a new reason. */
export async function report(
  prometheus: Prometheus,
  outcome: Attempt,
  { event, setStatus, store }: ReconcileContext<Prometheus>,
): Promise<void> {
  const { status, metadata, spec } = prometheus;
  const reconciled = reconciledCondition(outcome);
  const before = findCondition(status?.conditions, 'Reconciled');
  if (
    reconciled.status === 'False' &&
    (before?.reason !== reconciled.reason || before.message !== reconciled.message)
  ) {
    event('Warning', reconciled.reason, reconciled.message);
  }
  const cached = store(statefulSets).get(objectKey(metadata.namespace, nameOf(prometheus)));
  const isOurs = cached !== undefined && isControlledBy(cached, prometheus);
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
}

/** What the API server says of a refused object may repeat all of it. */
const MOST_CHARS = 1_000;

function reconciledCondition({
  reason,
  message = '',
  rejected = [],
  moreRejected = 0,
}: Attempt): DesiredCondition {
  if (reason !== undefined) {
    return { type: 'Reconciled', status: 'False', reason, message: message.slice(0, MOST_CHARS) };
  }
  const told = rejected.map(({ name, problem }) => `${name}: ${problem}`);
  if (moreRejected > 0) told.push(`and ${moreRejected} more`);
  return {
    type: 'Reconciled',
    status: 'True',
    reason: rejected.length > 0 ? 'ServiceMonitorsRejected' : 'AsSpecified',
    message: told.join('; '),
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
