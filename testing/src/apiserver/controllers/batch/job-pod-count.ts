import { controllerOf } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { patchMetadata } from '../pods/dependents.ts';
import type { Pod } from '../pods/pod.ts';
import { PODS } from '../pods/pod-template.ts';

/** The finalizer that keeps a deleted Pod until its Job has counted it. */
const TRACKING = 'batch.kubernetes.io/job-tracking';

/** How many Pods a status names that it has not counted yet: their uids are 20 KB. */
const MOST_UNCOUNTED = 500;

/** Pods that have ended, by their uids: the status names them before their finalizer goes. */
export interface UncountedPods {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
}

/** How many Pods of a Job have ended. */
export interface PodCount {
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: UncountedPods;
}

/** A Pod that is made with it is counted once, and only then gone. */
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
 * Lets go of the Pods that no Job will count: those of a Job that is gone, or over, or that has got
 * another uid, and those that were taken from it.
 *
 * @param pods - of its namespace. @param uid - of the Job that counts its Pods; undefined for none.
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

/** What a status has counted, with the Pods that have lost their finalizer since. */
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

/** The same, with the Pods that have ended since. */
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

/** The same, with as many uncounted Pods as a status may name. */
export function bounded({ uncounted, ...counts }: PodCount): PodCount {
  const succeeded = uncounted.succeeded.slice(0, MOST_UNCOUNTED);
  const failed = uncounted.failed.slice(0, MOST_UNCOUNTED - succeeded.length);
  return { ...counts, uncounted: { succeeded, failed } };
}

export function uncountedOf({ uncounted }: PodCount): number {
  return uncounted.succeeded.length + uncounted.failed.length;
}

/** How many Pods have ended so, counted or not. */
export function totalOf(count: PodCount, end: keyof UncountedPods): number {
  return count[end] + count.uncounted[end].length;
}
