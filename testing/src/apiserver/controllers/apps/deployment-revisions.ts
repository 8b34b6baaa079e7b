import type { ApiError } from 'chancery';
import { isAlreadyExists } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isReportable } from '../pods/creation-failure.ts';
import {
  controllerReference,
  POD_TEMPLATE_HASH,
  sameTemplate,
  templateHash,
} from '../pods/pod-template.ts';
import { type Deployment, desiredReplicas, isRecreate, rolloutBounds } from './deployment.ts';
import { REPLICA_SETS, type ReplicaSet } from './replica-set.ts';
import {
  annotate,
  copiedAnnotations,
  REVISION,
  recordScaling,
  replicasOf,
  revisionAnnotations,
  revisionOf,
  scaleAnnotations,
  totalReplicas,
} from './replica-set-scale.ts';

/** The ReplicaSet for the current template, and how it was obtained. */
export interface NewReplicaSet {
  readonly set: ReplicaSet;
  /** How the ReplicaSet was obtained. Undefined when the Deployment already used it. */
  readonly news: 'created' | 'found' | undefined;
  /**
   * How often the name generated for a ReplicaSet already belonged to a ReplicaSet with a different template.
   */
  readonly collisions: number;
}

/**
 * The oldest ReplicaSet that creates the Pods of the Deployment's template. Its template is the same, or was
 * the same before the server added different defaults to it.
 */
export function currentReplicaSet(
  { spec: { template }, status }: Deployment,
  sets: readonly ReplicaSet[],
): ReplicaSet | undefined {
  const hash = templateHash(template, status?.collisionCount ?? 0);
  const oldestFirst = sets.toSorted(byAge);
  return (
    oldestFirst.find((set) => sameTemplate(set.spec.template, template)) ??
    oldestFirst.find(({ metadata }) => metadata.labels?.[POD_TEMPLATE_HASH] === hash)
  );
}

/** Compares ReplicaSets for sorting: the oldest ReplicaSet comes first. */
export function byAge(left: ReplicaSet, right: ReplicaSet): number {
  const [leftTime, rightTime] = [left, right].map(({ metadata }) =>
    Date.parse(metadata.creationTimestamp ?? ''),
  );
  return (leftTime ?? 0) - (rightTime ?? 0) || (left.metadata.name < right.metadata.name ? -1 : 1);
}

/**
 * The ReplicaSet for the current template, with its revision updated. It is created if it does not
 * exist.
 *
 * @param reportRefusal - called with the name of a ReplicaSet that the server refuses, before the
 * error is thrown.
 */
export function ensureReplicaSet(
  access: ClusterAccess,
  record: RecordEvent,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  reportRefusal: (name: string, error: ApiError) => void,
): NewReplicaSet {
  const collisions = deployment.status?.collisionCount ?? 0;
  const current = currentReplicaSet(deployment, sets);
  const others = sets.filter((set) => set !== current);
  const lastRevision = Math.max(0, ...others.map(revisionOf));
  if (current === undefined) {
    for (let count = collisions; ; count++) {
      const wanted = newReplicaSet(deployment, others, lastRevision + 1, count);
      const set = createdUnlessTaken(access, wanted, reportRefusal);
      if (set === undefined) continue;
      const replicas = replicasOf(set);
      if (replicas > 0) recordScaling(record, deployment, set.metadata.name, 0, replicas);
      return { set, news: 'created', collisions: count };
    }
  }
  const isStale = revisionOf(current) <= lastRevision;
  const revision = isStale ? lastRevision + 1 : revisionOf(current);
  const set = annotate(access, current, {
    ...copiedAnnotations(deployment),
    ...revisionAnnotations(current, revision),
  });
  const isKnown = deployment.status?.conditions?.some(({ type }) => type === 'Progressing');
  return { set, news: isKnown ? undefined : 'found', collisions };
}

/**
 * Creates a ReplicaSet.
 * @returns undefined when another ReplicaSet already has this name.
 */
function createdUnlessTaken(
  access: ClusterAccess,
  set: StoredObject,
  reportRefusal: (name: string, error: ApiError) => void,
): ReplicaSet | undefined {
  try {
    return access.create(REPLICA_SETS, set) as ReplicaSet;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    if (isReportable(error)) reportRefusal(set.metadata.name, error);
    throw error;
  }
}

function newReplicaSet(
  deployment: Deployment,
  others: readonly ReplicaSet[],
  revision: number,
  collisions: number,
): StoredObject {
  const { template, selector, minReadySeconds } = deployment.spec;
  const { name, namespace } = deployment.metadata;
  const hash = templateHash(template, collisions);
  const labels = { ...template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: {
        ...copiedAnnotations(deployment),
        ...scaleAnnotations(deployment),
        [REVISION]: String(revision),
      },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: firstReplicas(deployment, others),
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: {
        ...selector,
        matchLabels: { ...selector.matchLabels, [POD_TEMPLATE_HASH]: hash },
      },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/**
 * The number of replicas that the new ReplicaSet may have at first. Together with the replicas of the old
 * ReplicaSets, this number must not exceed the desired number plus the surge.
 */
function firstReplicas(deployment: Deployment, others: readonly ReplicaSet[]): number {
  const desired = desiredReplicas(deployment);
  if (isRecreate(deployment)) return desired;
  const room = desired + rolloutBounds(deployment).surge - totalReplicas(others);
  return Math.min(Math.max(room, 0), desired);
}
