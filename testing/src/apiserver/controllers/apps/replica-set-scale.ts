import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { patchMetadata } from '../pods/dependents.ts';
import { type Deployment, desiredReplicas, rolloutBounds } from './deployment.ts';
import { REPLICA_SETS, type ReplicaSet } from './replica-set.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  'deprecated.deployment.rollback.to',
]);

export function replicasOf(set: ReplicaSet): number {
  return set.spec.replicas ?? 1;
}

export function totalReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + replicasOf(set), 0);
}

export function availableReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + (set.status?.availableReplicas ?? 0), 0);
}

export function revisionOf(set: ReplicaSet): number {
  return Number.parseInt(set.metadata.annotations?.[REVISION] ?? '0', 10) || 0;
}

/** The maximum length of the list of former revisions, in characters. */
const HISTORY_LENGTH = 2_000;

/**
 * The annotations for a ReplicaSet that gets the number `revision`. After a rollback they also list
 * its former revisions. If the list becomes too long, the oldest revisions are dropped (Go:
 * SetNewReplicaSetAnnotations).
 */
export function revisionAnnotations(
  set: ReplicaSet,
  revision: number,
): Readonly<Record<string, string>> {
  const { [REVISION]: former, [REVISION_HISTORY]: history = '' } = set.metadata.annotations ?? {};
  if (former === undefined || revisionOf(set) >= revision) return { [REVISION]: String(revision) };
  const all = [...(history === '' ? [] : history.split(',')), former];
  let text = all.join(',');
  while (text.length > HISTORY_LENGTH && all.length > 1) {
    all.shift();
    text = all.join(',');
  }
  return { [REVISION]: String(revision), [REVISION_HISTORY]: text };
}

/** The annotations of the Deployment that are copied to its ReplicaSets. */
export function copiedAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !NOT_COPIED.has(name)),
  );
}

/**
 * The desired and the largest number of replicas of the Deployment, as recorded on a scaled
 * ReplicaSet.
 */
export function scaleAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  const desired = desiredReplicas(deployment);
  return {
    [DESIRED_REPLICAS]: String(desired),
    [MAX_REPLICAS]: String(desired === 0 ? 0 : desired + rolloutBounds(deployment).surge),
  };
}

/** True when the Deployment was scaled after its controller last updated this ReplicaSet. */
export function isScaledSince(deployment: Deployment, set: ReplicaSet): boolean {
  const desired = set.metadata.annotations?.[DESIRED_REPLICAS];
  return desired !== undefined && desired !== String(desiredReplicas(deployment));
}

/**
 * Sets the number of replicas, records the Deployment's desired number in an annotation, and emits
 * an Event.
 */
export function scaleTo(
  access: ClusterAccess,
  record: RecordEvent,
  deployment: Deployment,
  set: ReplicaSet,
  replicas: number,
): void {
  const { namespace, name } = set.metadata;
  const before = replicasOf(set);
  access.patch(REPLICA_SETS, namespace, name, {
    metadata: { annotations: scaleAnnotations(deployment) },
    spec: { replicas },
  });
  if (before !== replicas) recordScaling(record, deployment, name, before, replicas);
}

export function recordScaling(
  record: RecordEvent,
  deployment: Deployment,
  name: string,
  before: number,
  after: number,
): void {
  const direction = after > before ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${name} from ${before} to ${after}`;
  record(deployment, { reason: 'ScalingReplicaSet', message });
}

/** Merges annotations into an object. Writes nothing if the object already has them. */
export function annotate(
  access: ClusterAccess,
  set: ReplicaSet,
  annotations: Readonly<Record<string, string>>,
): ReplicaSet {
  return patchMetadata(access, REPLICA_SETS, set, { annotations }) as ReplicaSet;
}
