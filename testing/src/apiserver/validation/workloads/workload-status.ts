import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { notNegative } from '../fields/check.ts';
import { invalidValue, type Problem } from '../fields/problem.ts';
import { jobStatus } from './job-status.ts';

/** The counts in a status that are checked, in the server's order. */
interface Counts {
  /** Counts that must not be negative. Unset counts are skipped. */
  readonly counted: readonly string[];
  /** Counts that must not exceed `replicas`. */
  readonly parts: readonly string[];
  /** The field that `availableReplicas` must not exceed, as the server's message calls it. */
  readonly ready?: string;
  /** Whether `collisionCount` must not decrease. */
  readonly collides?: boolean;
}

const OF_REPLICAS: Counts = {
  counted: [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ],
  parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  ready: 'readyReplicas',
};

/** The counts of each kind that are checked, keyed by kind (Go: pkg/apis/{apps,core,policy}/validation). */
const COUNTS: Readonly<Record<string, Counts>> = {
  DaemonSet: {
    counted: [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ],
    parts: [],
    collides: true,
  },
  Deployment: {
    counted: [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ],
    parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
    collides: true,
  },
  PodDisruptionBudget: {
    counted: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
    parts: [],
  },
  ReplicaSet: OF_REPLICAS,
  ReplicationController: OF_REPLICAS,
  StatefulSet: {
    counted: [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    parts: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ready: 'status.readyReplicas',
    collides: true,
  },
};

/**
 * The problems in the status of a built-in kind. They are checked only for writes of the status.
 */
export function statusProblems(
  kind: string,
  object: StoredObject,
  previous: StoredObject,
): readonly Problem[] {
  if (kind === 'Job') return jobStatus(object, previous);
  const counts = Object.hasOwn(COUNTS, kind) ? COUNTS[kind] : undefined;
  if (counts === undefined) return [];
  const status = statusOf(object);
  const count = (name: string): number => Number(status[name] ?? 0);
  const above = (name: string, limit: string, shown: string): readonly Problem[] =>
    count(name) > count(limit)
      ? [invalidValue(`status.${name}`, count(name), `cannot be greater than ${shown}`)]
      : [];
  const before = Number(statusOf(previous).collisionCount ?? 0);
  const isFewer = counts.collides === true && count('collisionCount') < before;
  return [
    ...counts.counted.flatMap((name) => notNegative(status[name] ?? 0, `status.${name}`)),
    ...counts.parts.flatMap((name) => above(name, 'replicas', 'status.replicas')),
    ...(counts.ready === undefined
      ? []
      : above('availableReplicas', 'readyReplicas', counts.ready)),
    ...(isFewer
      ? [invalidValue('status.collisionCount', count('collisionCount'), 'cannot be decremented')]
      : []),
  ];
}

function statusOf({ status }: StoredObject): Json {
  return isObject(status) ? status : {};
}
