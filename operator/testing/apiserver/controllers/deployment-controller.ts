import type { Clock } from '../../../core/clock.ts';
import { controllerOf, type ObjectKey, splitKey } from '../../../model/object.ts';
import type { ClusterAccess, ResourceName, StoredObject } from '../cluster-access.ts';
import { claimDependents, watchDependents, watchOrphans, watchSelf } from './dependents.ts';
import { type Deployment, desiredReplicas, isRecreate } from './deployment.ts';
import {
  byAge,
  currentReplicaSet,
  ensureReplicaSet,
  type NewReplicaSet,
} from './deployment-revisions.ts';
import { isScaling, rollForward, spreadReplicas } from './deployment-rollout.ts';
import { deadlineInMs, deploymentStatus, isComplete } from './deployment-status.ts';
import { isFinished, type Pod } from './pod.ts';
import { PODS } from './pod-template.ts';
import { REPLICA_SETS, type ReplicaSet } from './replica-set.ts';
import { REVISION, replicasOf, revisionOf, scaleTo } from './replica-set-scale.ts';
import type { WorkloadController } from './workload-controller.ts';

export const DEPLOYMENTS: ResourceName = 'deployments.apps';

/** Old ReplicaSets that are kept to roll back to, unless the Deployment says otherwise. */
const DEFAULT_HISTORY = 10;

/** Keeps one ReplicaSet a template, and moves the replicas to that of the current one. */
export function deploymentController(access: ClusterAccess, clock: Clock): WorkloadController {
  return {
    watches: [
      watchSelf(DEPLOYMENTS),
      watchDependents(REPLICA_SETS, 'Deployment'),
      watchOrphans(access, REPLICA_SETS, DEPLOYMENTS),
    ],
    reconcile: (key) => reconcile(access, clock, key),
  };
}

function reconcile(access: ClusterAccess, clock: Clock, key: ObjectKey): number | undefined {
  const { namespace, name } = splitKey(key);
  const deployment = access.get(DEPLOYMENTS, namespace, name) as Deployment | undefined;
  if (deployment === undefined) return undefined;
  const sets = claimDependents(access, REPLICA_SETS, deployment) as readonly ReplicaSet[];
  const news = act(access, deployment, sets);
  return reportStatus(access, clock, deployment, news);
}

/** @returns the new ReplicaSet, when the Deployment was in a position to have one made. */
function act(
  access: ClusterAccess,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): NewReplicaSet | undefined {
  if (deployment.metadata.deletionTimestamp !== undefined) return undefined;
  if (deployment.spec.paused === true || isScaling(deployment, sets)) {
    spreadIfScaled(access, deployment, sets);
    return undefined;
  }
  const current = currentReplicaSet(deployment, sets);
  const old = sets.filter((set) => set !== current);
  if (isRecreate(deployment) && !isOldGone(access, deployment, old)) return undefined;
  const made = ensureReplicaSet(access, deployment, sets);
  if (!isRecreate(deployment)) rollForward(access, deployment, made.set, old);
  else if (replicasOf(made.set) !== desiredReplicas(deployment))
    scaleTo(access, deployment, made.set, desiredReplicas(deployment));
  forgetOldSets(access, deployment, old);
  return made;
}

function spreadIfScaled(
  access: ClusterAccess,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): void {
  const current = currentReplicaSet(deployment, sets);
  const isIdle = sets.every((set) => replicasOf(set) === 0) && desiredReplicas(deployment) > 0;
  if (isScaling(deployment, sets) || isIdle) spreadReplicas(access, deployment, current, sets);
}

/**
 * Scales old ReplicaSets to nothing. Each Pod that goes changes the status of its ReplicaSet, which
 * gives the Deployment its next turn.
 *
 * @returns true when none of their Pods is left.
 */
function isOldGone(
  access: ClusterAccess,
  deployment: Deployment,
  old: readonly ReplicaSet[],
): boolean {
  for (const set of old) if (replicasOf(set) > 0) scaleTo(access, deployment, set, 0);
  const uids = new Set(old.map(({ metadata }) => metadata.uid));
  const pods = access.list(PODS, deployment.metadata.namespace) as readonly Pod[];
  return !pods.some((pod) => !isFinished(pod) && uids.has(controllerOf(pod)?.uid));
}

/** Deletes old empty ReplicaSets beyond the history limit, once the rollout is complete. */
function forgetOldSets(
  access: ClusterAccess,
  deployment: Deployment,
  old: readonly ReplicaSet[],
): void {
  if (!isComplete(deployment, deployment.status ?? {})) return;
  const limit = deployment.spec.revisionHistoryLimit ?? DEFAULT_HISTORY;
  const forgettable = old
    .filter((set) => replicasOf(set) === 0 && (set.status?.replicas ?? 0) === 0)
    .filter((set) => set.metadata.deletionTimestamp === undefined)
    .toSorted((left, right) => revisionOf(left) - revisionOf(right) || byAge(left, right));
  for (const { metadata } of forgettable.slice(0, Math.max(old.length - limit, 0)))
    access.delete(REPLICA_SETS, metadata.namespace, metadata.name);
}

function reportStatus(
  access: ClusterAccess,
  clock: Clock,
  deployment: Deployment,
  made: NewReplicaSet | undefined,
): number | undefined {
  const { namespace, name, uid } = deployment.metadata;
  const sets = (access.list(REPLICA_SETS, namespace) as readonly ReplicaSet[]).filter(
    (set) => controllerOf(set)?.uid === uid,
  );
  const newSet = currentReplicaSet(deployment, sets);
  const nowMs = clock.now();
  const status = deploymentStatus({
    deployment,
    newSet,
    news: made?.news,
    collisions: made?.collisions ?? deployment.status?.collisionCount ?? 0,
    sets,
    nowMs,
  });
  const current = access.get(DEPLOYMENTS, namespace, name);
  if (current === undefined || current.metadata.uid !== uid) return undefined;
  access.updateStatus(DEPLOYMENTS, withRevision({ ...current, status }, newSet));
  return deadlineInMs(deployment, status, nowMs) || undefined;
}

/** The revision of the ReplicaSet in use is written along with the status. */
function withRevision(deployment: StoredObject, newSet: ReplicaSet | undefined): StoredObject {
  const revision = newSet?.metadata.annotations?.[REVISION];
  if (revision === undefined) return deployment;
  const annotations = { ...deployment.metadata.annotations, [REVISION]: revision };
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
