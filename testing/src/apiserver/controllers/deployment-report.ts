import type { Clock } from 'chancery';
import type { ClusterAccess, ResourceName, StoredObject } from '../cluster-access.ts';
import type { Deployment } from './deployment.ts';
import { currentReplicaSet, type NewReplicaSet } from './deployment-revisions.ts';
import { deadlineInMs, deploymentStatus, withNewReplicaSet } from './deployment-status.ts';
import type { ReplicaSet } from './replica-set.ts';
import { REVISION } from './replica-set-scale.ts';

const DEPLOYMENTS: ResourceName = 'deployments.apps';

/**
 * Writes down which revision a Deployment is at, and that its ReplicaSet is new, before anything is
 * counted. After such a write the Deployment that the controller holds is an old one: its next
 * write in the same turn is refused, and comes again in the next turn.
 */
export function announceRevision(
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

function collisionsOf({ status }: Deployment): number {
  return status?.collisionCount ?? 0;
}

/**
 * Counts, and says what the numbers mean.
 *
 * @returns milliseconds until a rollout without progress has failed.
 */
export function reportStatus(
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
