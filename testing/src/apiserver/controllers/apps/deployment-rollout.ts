import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { type Deployment, desiredReplicas, rolloutBounds } from './deployment.ts';
import { byAge } from './deployment-revisions.ts';
import type { ReplicaSet } from './replica-set.ts';
import {
  availableReplicas,
  isScaledSince,
  replicasOf,
  scaleTo,
  totalReplicas,
} from './replica-set-scale.ts';

/**
 * One step of a rolling update: grows the new ReplicaSet as far as the surge allows. If it cannot
 * grow, shrinks old ReplicaSets as far as availability allows.
 */
export function rollForward(
  access: ClusterAccess,
  record: RecordEvent,
  deployment: Deployment,
  newSet: ReplicaSet,
  oldSets: readonly ReplicaSet[],
): void {
  const wanted = replicasOfNew(deployment, newSet, oldSets);
  if (wanted !== replicasOf(newSet)) scaleTo(access, record, deployment, newSet, wanted);
  else shrinkOld(access, record, deployment, newSet, oldSets);
}

function replicasOfNew(
  deployment: Deployment,
  newSet: ReplicaSet,
  oldSets: readonly ReplicaSet[],
): number {
  const desired = desiredReplicas(deployment);
  const current = replicasOf(newSet);
  if (current >= desired) return desired;
  const most = desired + rolloutBounds(deployment).surge;
  const room = most - totalReplicas([newSet, ...oldSets]);
  return room <= 0 ? current : Math.min(current + room, desired);
}

function shrinkOld(
  access: ClusterAccess,
  record: RecordEvent,
  deployment: Deployment,
  newSet: ReplicaSet,
  oldSets: readonly ReplicaSet[],
): void {
  const all = [newSet, ...oldSets];
  const least = desiredReplicas(deployment) - rolloutBounds(deployment).unavailable;
  const newUnavailable = replicasOf(newSet) - (newSet.status?.availableReplicas ?? 0);
  // Unavailable replicas are removed first, because this does not reduce availability.
  let spare = totalReplicas(all) - least - newUnavailable;
  let available = availableReplicas(all) - least;
  for (const set of oldSets.toSorted(byAge)) {
    const broken = Math.max(replicasOf(set) - (set.status?.availableReplicas ?? 0), 0);
    const unhealthy = Math.min(broken, Math.max(spare, 0));
    const healthy = Math.min(
      replicasOf(set) - broken,
      Math.max(available, 0),
      Math.max(spare - unhealthy, 0),
    );
    spare -= unhealthy + healthy;
    available -= healthy;
    if (unhealthy + healthy > 0)
      scaleTo(access, record, deployment, set, replicasOf(set) - unhealthy - healthy);
  }
}

/**
 * True when the Deployment was scaled after its controller last updated one of its running
 * ReplicaSets.
 */
export function isScaling(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.some((set) => replicasOf(set) > 0 && isScaledSince(deployment, set));
}

/**
 * Spreads a new number of replicas over the ReplicaSets, without moving replicas from old to new.
 * This happens when a Deployment is scaled while it is paused or in the middle of a rollout.
 */
export function spreadReplicas(
  access: ClusterAccess,
  record: RecordEvent,
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
): void {
  const desired = desiredReplicas(deployment);
  const running = sets.filter((set) => replicasOf(set) > 0);
  const [only] = running.length === 0 ? [newSet] : running;
  if (running.length <= 1) {
    if (only !== undefined) scaleTo(access, record, deployment, only, desired);
    return;
  }
  const most = desired === 0 ? 0 : desired + rolloutBounds(deployment).surge;
  const total = totalReplicas(running);
  let change = most - total;
  // The largest ReplicaSet comes first. Among equals, the newest grows first and the oldest shrinks
  // first.
  const ordered = running.toSorted(
    (a, b) => replicasOf(b) - replicasOf(a) || (change > 0 ? byAge(b, a) : byAge(a, b)),
  );
  const sizes = ordered.map((set) => {
    const exact = Math.round((replicasOf(set) * (most - total)) / total);
    const part = change > 0 ? Math.min(exact, change) : Math.max(exact, change, -replicasOf(set));
    change -= part;
    return replicasOf(set) + part;
  });
  ordered.forEach((set, index) => {
    const rest = index === 0 ? change : 0;
    scaleTo(access, record, deployment, set, Math.max((sizes[index] ?? 0) + rest, 0));
  });
}
