import { controllerOf } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { patchMetadata } from '../pods/dependents.ts';
import type { Pod } from '../pods/pod.ts';
import { PODS } from '../pods/pod-template.ts';

/** The finalizer that keeps a deleted Pod until its Job has counted it. */
const TRACKING = 'batch.kubernetes.io/job-tracking';

/** The largest number of uncounted Pods that a status lists. Their uids take 20 KB. */
const MOST_UNCOUNTED = 500;

/** Uids of ended Pods. The status lists them before their finalizers are removed. */
export interface UncountedPods {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
}

/** The number of a Job's Pods that have ended. */
export interface PodCount {
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: UncountedPods;
}

/** The finalizers of a new Pod, including the finalizer that keeps the Pod until it is counted. */
export function withTracking(finalizers: readonly string[] = []): readonly string[] {
  return finalizers.includes(TRACKING) ? finalizers : [...finalizers, TRACKING];
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) === true;
}

export function untrack(access: ClusterAccess, pod: Pod): void {
  const others = (pod.metadata.finalizers ?? []).filter((finalizer) => finalizer !== TRACKING);
  patchMetadata(access, PODS, pod, { finalizers: others.length > 0 ? others : null });
}

/**
 * Removes the finalizer from Pods that no Job will count: Pods of a Job that is gone, finished, or
 * has another uid, and Pods that do not belong to the Job any more.
 *
 * @param pods - the Pods in the namespace of the Job.
 * @param uid - the uid of the Job that counts its Pods; undefined if there is none.
 */
export function untrackOrphans(
  access: ClusterAccess,
  pods: readonly Pod[],
  name: string,
  uid: string | undefined,
): void {
  for (const pod of pods.filter(isTracked)) {
    const owner = controllerOf(pod);
    const isOfName =
      owner === undefined
        ? pod.metadata.labels?.['batch.kubernetes.io/job-name'] === name
        : owner.kind === 'Job' && owner.name === name;
    if (isOfName && (owner === undefined || owner.uid !== uid)) untrack(access, pod);
  }
}

/**
 * The count in a status, plus the Pods that the status lists and whose finalizer has been removed since then.
 */
export function settled(
  {
    succeeded = 0,
    failed = 0,
    uncountedTerminatedPods = {},
  }: {
    readonly succeeded?: number;
    readonly failed?: number;
    readonly uncountedTerminatedPods?: Partial<UncountedPods>;
  },
  pods: readonly Pod[],
): PodCount {
  const tracked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const left = (uids: readonly string[] = []): readonly string[] =>
    uids.filter((uid) => tracked.has(uid));
  const before = uncountedTerminatedPods;
  const uncounted = { succeeded: left(before.succeeded), failed: left(before.failed) };
  return {
    succeeded: succeeded + (before.succeeded ?? []).length - uncounted.succeeded.length,
    failed: failed + (before.failed ?? []).length - uncounted.failed.length,
    uncounted,
  };
}

/** Adds the Pods that have ended since `count` was computed. */
export function withEnded(
  count: PodCount,
  pods: readonly Pod[],
  endOf: (pod: Pod) => keyof UncountedPods | undefined,
): PodCount {
  const known = new Set([...count.uncounted.succeeded, ...count.uncounted.failed]);
  const fresh = pods.filter((pod) => isTracked(pod) && !known.has(pod.metadata.uid ?? ''));
  const ofEnd = (end: keyof UncountedPods): readonly string[] => [
    ...count.uncounted[end],
    ...fresh.filter((pod) => endOf(pod) === end).map(({ metadata }) => metadata.uid ?? ''),
  ];
  return { ...count, uncounted: { succeeded: ofEnd('succeeded'), failed: ofEnd('failed') } };
}

/** The count, with the list of uncounted Pods cut to the length that a status may have. */
export function bounded({ uncounted, ...counts }: PodCount): PodCount {
  const succeeded = uncounted.succeeded.slice(0, MOST_UNCOUNTED);
  const failed = uncounted.failed.slice(0, MOST_UNCOUNTED - succeeded.length);
  return { ...counts, uncounted: { succeeded, failed } };
}

export function uncountedOf({ uncounted }: PodCount): number {
  return uncounted.succeeded.length + uncounted.failed.length;
}

/**
 * The number of Pods that have succeeded or failed, depending on `end`. Pods that the status has not counted
 * yet are included.
 */
export function totalOf(count: PodCount, end: keyof UncountedPods): number {
  return count[end] + count.uncounted[end].length;
}
