import type { Condition } from 'chancery';
import { rfc3339 } from 'chancery/internal-objects';
import {
  type Deployment,
  type DeploymentCondition,
  type DeploymentStatus,
  desiredReplicas,
  rolloutBounds,
} from './deployment.ts';
import type { NewReplicaSet } from './deployment-revisions.ts';
import { nonZero, type ReplicaSet } from './replica-set.ts';
import { availableReplicas, totalReplicas } from './replica-set-scale.ts';

/**
 * A Deployment whose `progressDeadlineSeconds` has this value (`math.MaxInt32`) or more has no
 * deadline.
 */
const NO_DEADLINE_SECONDS = 2 ** 31 - 1;

interface Facts {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  readonly sets: readonly ReplicaSet[];
  readonly nowMs: number;
}

/** The status of a Deployment, computed from its ReplicaSets. */
export function deploymentStatus(facts: Facts): DeploymentStatus {
  const { deployment, newSet, sets } = facts;
  const sum = (field: 'replicas' | 'readyReplicas' | 'terminatingReplicas'): number =>
    sets.reduce((total, set) => total + (set.status?.[field] ?? 0), 0);
  const availableCount = availableReplicas(sets);
  const { generation } = deployment.metadata;
  const status: DeploymentStatus = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...nonZero({
      replicas: sum('replicas'),
      updatedReplicas: newSet?.status?.replicas ?? 0,
      readyReplicas: sum('readyReplicas'),
      availableReplicas: availableCount,
      unavailableReplicas: Math.max(totalReplicas(sets) - availableCount, 0),
    }),
    terminatingReplicas: sum('terminatingReplicas'),
    ...nonZero({ collisionCount: deployment.status?.collisionCount ?? 0 }),
  };
  const former = deployment.status?.conditions ?? [];
  const available = withAvailable(former, status, facts);
  // While the Deployment is being deleted, only the numbers change.
  const isGoing = deployment.metadata.deletionTimestamp !== undefined;
  const conditions = isGoing ? available : withProgressing(available, status, facts);
  return { ...status, conditions: withFailures(conditions, facts) };
}

/** The conditions, including the failure of the newest ReplicaSet that cannot create Pods. */
function withFailures(conditions: Conditions, { newSet, sets, nowMs }: Facts): Conditions {
  const failures = [newSet, ...sets].flatMap((set) =>
    ((set?.status?.conditions ?? []) as readonly Condition[]).filter(
      ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
    ),
  );
  const [failure] = failures;
  if (failure === undefined) return conditions.filter(({ type }) => type !== 'ReplicaFailure');
  const { reason = '', message = '' } = failure;
  return observed(conditions, nowMs, { type: 'ReplicaFailure', status: 'True', reason, message });
}

/**
 * The previous status of a Deployment. Only the fields that report the switch to another ReplicaSet are
 * updated.
 */
export function withNewReplicaSet(
  { spec, status }: Deployment,
  { set, news, collisions }: NewReplicaSet,
  nowMs: number,
): DeploymentStatus {
  const counted = { ...status, ...nonZero({ collisionCount: collisions }) };
  if (news === undefined || !hasDeadline(spec)) return counted;
  const [reason, verb] =
    news === 'created' ? ['NewReplicaSetCreated', 'Created'] : ['FoundNewReplicaSet', 'Found'];
  const message = `${verb} new replica set ${JSON.stringify(set.metadata.name)}`;
  const conditions = observed(status?.conditions ?? [], nowMs, {
    type: 'Progressing',
    status: 'True',
    reason,
    message,
  });
  return { ...counted, conditions };
}

/**
 * Returns the previous status of a Deployment, which now also reports that the server refused the next
 * ReplicaSet.
 */
export function withRefusedReplicaSet(
  { spec, status = {} }: Deployment,
  message: string,
  nowMs: number,
): DeploymentStatus {
  if (!hasDeadline(spec)) return status;
  const refused = {
    type: 'Progressing',
    status: 'False',
    reason: 'ReplicaSetCreateError',
    message,
  };
  const conditions = observed(status.conditions ?? [], nowMs, refused as Observation);
  return { ...status, conditions };
}

function hasDeadline({
  progressDeadlineSeconds = NO_DEADLINE_SECONDS,
}: Deployment['spec']): boolean {
  return progressDeadlineSeconds < NO_DEADLINE_SECONDS;
}

/**
 * True when all replicas have the current template and are available, and no replica with an older template
 * is left.
 */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const desired = desiredReplicas(deployment);
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    status.observedGeneration === deployment.metadata.generation
  );
}

/**
 * Milliseconds until a rollout without progress counts as failed; undefined when there is no
 * deadline.
 */
export function deadlineInMs(
  deployment: Deployment,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const seconds = deployment.spec.progressDeadlineSeconds ?? NO_DEADLINE_SECONDS;
  const condition = status.conditions?.find(({ type }) => type === 'Progressing');
  if (seconds >= NO_DEADLINE_SECONDS || condition?.status !== 'True') return undefined;
  if (condition.reason === 'NewReplicaSetAvailable') return undefined;
  return Math.max(Date.parse(condition.lastUpdateTime) + seconds * 1_000 - nowMs, 0);
}

type Conditions = readonly DeploymentCondition[];
type Observation = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

function withAvailable(conditions: Conditions, status: DeploymentStatus, facts: Facts): Conditions {
  const { deployment, nowMs } = facts;
  const least = desiredReplicas(deployment) - rolloutBounds(deployment).unavailable;
  const isAvailable = (status.availableReplicas ?? 0) >= least;
  return observed(conditions, nowMs, {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
  });
}

function withProgressing(
  conditions: Conditions,
  status: DeploymentStatus,
  facts: Facts,
): Conditions {
  const { deployment, nowMs } = facts;
  if (!hasDeadline(deployment.spec)) return conditions.filter(({ type }) => type !== 'Progressing');
  const observation = progressOf(conditions, status, facts);
  if (observation === undefined) return conditions;
  return observed(conditions, nowMs, { type: 'Progressing', ...observation });
}

function progressOf(
  conditions: Conditions,
  status: DeploymentStatus,
  { deployment, newSet, nowMs }: Facts,
): Omit<Observation, 'type'> | undefined {
  const current = conditions.find(({ type }) => type === 'Progressing');
  const name = newSet?.metadata.name ?? '';
  const quoted = JSON.stringify(name);
  if (deployment.spec.paused === true)
    return { status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
  if (current?.reason === 'DeploymentPaused')
    return { status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  const wasComplete = current?.reason === 'NewReplicaSetAvailable';
  if (wasComplete && (status.replicas ?? 0) === (status.updatedReplicas ?? 0)) return undefined;
  if (isComplete(deployment, status)) {
    const message = `ReplicaSet ${quoted} has successfully progressed.`;
    return { status: 'True', reason: 'NewReplicaSetAvailable', message };
  }
  if (isProgress(deployment.status ?? {}, status)) {
    const message = `ReplicaSet ${quoted} is progressing.`;
    return { status: 'True', reason: 'ReplicaSetUpdated', message };
  }
  if (deadlineInMs(deployment, { conditions }, nowMs) !== 0) return undefined;
  const message = `ReplicaSet ${quoted} has timed out progressing.`;
  return { status: 'False', reason: 'ProgressDeadlineExceeded', message };
}

function isProgress(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number =>
    replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0) ||
    old(after) < old(before)
  );
}

/**
 * The conditions, with one of them updated. A changed condition moves to the end of the list, like in the
 * real controller. Progress updates `lastUpdateTime` even if the message stays the same.
 */
function observed(conditions: Conditions, nowMs: number, next: Observation): Conditions {
  const current = conditions.find(({ type }) => type === next.type);
  const isSame = current?.status === next.status && current.reason === next.reason;
  const isRepeatedProgress = next.reason === 'ReplicaSetUpdated';
  if (isSame && !isRepeatedProgress) return conditions;
  const now = rfc3339(nowMs);
  const since = current?.status === next.status ? current.lastTransitionTime : now;
  return [
    ...conditions.filter(({ type }) => type !== next.type),
    { ...next, lastUpdateTime: now, lastTransitionTime: since },
  ].map(({ type, status, lastUpdateTime, lastTransitionTime, reason, message }) => ({
    type,
    status,
    lastUpdateTime,
    lastTransitionTime,
    reason,
    message,
  }));
}
