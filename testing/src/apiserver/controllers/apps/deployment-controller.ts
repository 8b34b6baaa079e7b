import type { ApiError, Clock, ObjectKey } from 'chancery';
import { controllerOf, splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import { textOf } from '../pods/creation-failure.ts';
import { claimDependents, watchDependents, watchOrphans, watchSelf } from '../pods/dependents.ts';
import { isFinished, type Pod } from '../pods/pod.ts';
import { PODS } from '../pods/pod-template.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';
import { type Deployment, desiredReplicas, isRecreate } from './deployment.ts';
import {
  byAge,
  currentReplicaSet,
  ensureReplicaSet,
  type NewReplicaSet,
} from './deployment-revisions.ts';
import { isScaling, rollForward, spreadReplicas } from './deployment-rollout.ts';
import {
  deadlineInMs,
  deploymentStatus,
  isComplete,
  withNewReplicaSet,
  withRefusedReplicaSet,
} from './deployment-status.ts';
import { REPLICA_SETS, type ReplicaSet } from './replica-set.ts';
import { REVISION, replicasOf, revisionOf, scaleTo } from './replica-set-scale.ts';

const DEPLOYMENTS: ResourceName = 'deployments.apps';

/** The number of old ReplicaSets that are kept for rollbacks, unless the Deployment sets another number. */
const DEFAULT_HISTORY = 10;

/**
 * Keeps one ReplicaSet per template, and moves the replicas to the ReplicaSet of the current
 * template.
 */
export function deploymentController(
  access: ClusterAccess,
  clock: Clock,
  record: RecordEvent = recordNothing,
): WorkloadController {
  return {
    watches: [
      watchSelf(DEPLOYMENTS),
      watchDependents(REPLICA_SETS, 'Deployment'),
      watchOrphans(access, REPLICA_SETS, DEPLOYMENTS),
      watchPodsOfRecreated(access),
    ],
    reconcile: (key) => reconcile({ access, clock, record }, key),
  };
}

/** One Deployment and the facts that its controller has collected. */
interface Scene {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly record: RecordEvent;
}

/**
 * Reconciles a Deployment with the strategy `Recreate` when one of its Pods is deleted, because the rollout
 * waits until the old Pods are gone.
 */
function watchPodsOfRecreated(access: ClusterAccess): WorkloadController['watches'][number] {
  const ofSets = watchDependents(PODS, 'ReplicaSet');
  const ofDeployments = watchDependents(REPLICA_SETS, 'Deployment');
  return {
    resource: PODS,
    keysFor: (event) =>
      event.type !== 'DELETED'
        ? []
        : [...ofSets.keysFor(event)].flatMap((key) => {
            const { namespace, name } = splitKey(key);
            const object = access.get(REPLICA_SETS, namespace, name);
            if (object === undefined) return [];
            return [...ofDeployments.keysFor({ type: 'MODIFIED', object, previous: undefined })];
          }),
  };
}

function reconcile(scene: Scene, key: ObjectKey): number | undefined {
  const { access, clock } = scene;
  const { namespace, name } = splitKey(key);
  const deployment = access.get(DEPLOYMENTS, namespace, name) as Deployment | undefined;
  if (deployment === undefined) return undefined;
  // Like a controller that reads from a cache, this one counts the changes of this turn only in the next
  // turn, when their events have arrived.
  const sets = claimDependents(access, REPLICA_SETS, deployment) as readonly ReplicaSet[];
  if (deployment.metadata.deletionTimestamp === undefined) act(scene, deployment, sets);
  return reportStatus(access, clock, deployment, sets);
}

function act(scene: Scene, deployment: Deployment, sets: readonly ReplicaSet[]): void {
  const { access, clock, record } = scene;
  if (deployment.spec.paused === true || isScaling(deployment, sets)) {
    spreadIfScaled(scene, deployment, sets);
    return;
  }
  const current = currentReplicaSet(deployment, sets);
  const old = sets.filter((set) => set !== current);
  if (isRecreate(deployment) && !isOldGone(scene, deployment, old)) return;
  const made = ensureReplicaSet(access, record, deployment, sets, (set, error) =>
    reportRefusal(scene, deployment, set, error),
  );
  announceRevision(access, clock, deployment, made);
  if (!isRecreate(deployment)) rollForward(access, record, deployment, made.set, old);
  else if (replicasOf(made.set) !== desiredReplicas(deployment))
    scaleTo(access, record, deployment, made.set, desiredReplicas(deployment));
  forgetOldSets(access, deployment, old);
}

function spreadIfScaled(
  { access, record }: Scene,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): void {
  const current = currentReplicaSet(deployment, sets);
  const isIdle = sets.every((set) => replicasOf(set) === 0) && desiredReplicas(deployment) > 0;
  if (isScaling(deployment, sets) || isIdle)
    spreadReplicas(access, record, deployment, current, sets);
}

/**
 * Scales old ReplicaSets to zero.
 *
 * @returns true when the old ReplicaSets have no Pods left.
 */
function isOldGone(
  { access, record }: Scene,
  deployment: Deployment,
  old: readonly ReplicaSet[],
): boolean {
  for (const set of old) if (replicasOf(set) > 0) scaleTo(access, record, deployment, set, 0);
  const uids = new Set(old.map(({ metadata }) => metadata.uid));
  const pods = access.list(PODS, deployment.metadata.namespace) as readonly Pod[];
  return !pods.some((pod) => !isFinished(pod) && uids.has(controllerOf(pod)?.uid));
}

/** After a complete rollout, deletes the old empty ReplicaSets that exceed the history limit. */
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

/**
 * Writes the current revision, and the condition that announces a new ReplicaSet, before replicas are
 * counted. The controller's copy of the Deployment is then outdated. The controller's next write in the same
 * turn is therefore refused, and is repeated in the next turn.
 */
function announceRevision(
  access: ClusterAccess,
  clock: Clock,
  deployment: Deployment,
  made: NewReplicaSet,
): void {
  const revision = made.set.metadata.annotations?.[REVISION];
  const former = deployment.metadata.annotations ?? {};
  const isCurrent = revision === undefined || former[REVISION] === revision;
  if (isCurrent && made.news === undefined && made.collisions === collisionsOf(deployment)) return;
  const annotations = revision === undefined ? former : { ...former, [REVISION]: revision };
  const status = withNewReplicaSet(deployment, made, clock.now());
  const metadata = { ...deployment.metadata, annotations };
  access.updateStatus(DEPLOYMENTS, { ...deployment, metadata, status } as StoredObject);
}

/** Reports why the ReplicaSet of the current template cannot be created. */
function reportRefusal(
  { access, clock, record }: Scene,
  deployment: Deployment,
  set: string,
  error: ApiError,
): void {
  const message = `Failed to create new replica set ${JSON.stringify(set)}: ${textOf(error)}`;
  const status = withRefusedReplicaSet(deployment, message, clock.now());
  access.updateStatus(DEPLOYMENTS, { ...deployment, status } as StoredObject);
  record(deployment, { type: 'Warning', reason: 'ReplicaSetCreateError', message });
}

function collisionsOf({ status }: Deployment): number {
  return status?.collisionCount ?? 0;
}

/**
 * Counts the replicas, and writes the status and its conditions.
 *
 * @returns milliseconds until the rollout counts as failed if it makes no progress.
 */
function reportStatus(
  access: ClusterAccess,
  clock: Clock,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): number | undefined {
  const nowMs = clock.now();
  const newSet = currentReplicaSet(deployment, sets);
  const status = deploymentStatus({ deployment, newSet, sets, nowMs });
  access.updateStatus(DEPLOYMENTS, { ...deployment, status } as StoredObject);
  return deadlineInMs(deployment, status, nowMs) || undefined;
}
