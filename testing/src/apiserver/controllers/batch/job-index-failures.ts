import { isActive, type Pod } from '../pods/pod.ts';
import type { PodTemplate } from '../pods/pod-template.ts';
import { backoffLeftMs, finishedMs } from './job-backoff.ts';
import { endOf } from './job-end.ts';
import { isCounted, matchedFailure } from './job-failure-policy.ts';
import { hasIndex, type Indexes, indexOf, mergedIndexes, succeededIndexes } from './job-indexes.ts';
import type { Job } from './job-object.ts';
import { isTracked } from './job-pod-count.ts';

/** Annotations of a Pod: how many earlier failures of its index were counted, and how many were ignored. */
const FAILURES = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED = 'batch.kubernetes.io/job-index-ignored-failure-count';

const MAX_INT32 = 2 ** 31 - 1;

/** True for a Job that limits failures per index. */
export function limitsEachIndex({ spec }: Job): boolean {
  return spec.backoffLimitPerIndex !== undefined;
}

/**
 * The indexes that have finally failed: the indexes in the status, and the indexes of Pods that have failed
 * since the status was written. Undefined for a Job without `backoffLimitPerIndex`.
 */
export function failedIndexes(job: Job, pods: readonly Pod[]): Indexes | undefined {
  const { backoffLimitPerIndex } = job.spec;
  if (backoffLimitPerIndex === undefined) return undefined;
  const fresh = pods
    .filter((pod) => isTracked(pod) && endOf(job, pod) === 'failed')
    .filter((pod) => {
      if (matchedFailure(job, pod)?.action === 'FailIndex') return true;
      return isCounted(job, pod) && countAt(pod, FAILURES) >= backoffLimitPerIndex;
    })
    .flatMap((pod) => indexOf(job, pod) ?? []);
  return mergedIndexes(job, job.status?.failedIndexes, fresh);
}

/**
 * The failed Pods that have no replacement yet, keyed by index. Such a Pod keeps its finalizer until the
 * replacement has taken over its failure count (`getPodsWithDelayedDeletionPerIndex`).
 */
export function awaitingReplacement(job: Job, pods: readonly Pod[]): ReadonlyMap<number, Pod> {
  const waiting = new Map<number, Pod>();
  const failed = failedIndexes(job, pods);
  if (failed === undefined) return waiting;
  const succeeded = succeededIndexes(job, pods);
  const active = new Set(pods.filter(isActive).map((pod) => indexOf(job, pod)));
  for (const pod of pods) {
    const index = indexOf(job, pod);
    if (index === undefined || !isTracked(pod) || endOf(job, pod) !== 'failed') continue;
    if (hasIndex(succeeded, index) || hasIndex(failed, index) || active.has(index)) continue;
    const other = waiting.get(index);
    const isLater =
      other === undefined ||
      (attemptsOf(other) <= attemptsOf(pod) && finishedMs(pod) >= finishedMs(other));
    if (isLater) waiting.set(index, pod);
  }
  return waiting;
}

/**
 * Milliseconds until the Pod of an index may be replaced.
 * @param last - the failed Pod, if there is one.
 */
export function indexBackoffMs(last: Pod | undefined, nowMs: number): number {
  return last === undefined ? 0 : backoffLeftMs(attemptsOf(last) + 1, finishedMs(last), nowMs);
}

/**
 * The template of a Pod, with the number of earlier failures of its index.
 * @param last - the failed Pod that the new Pod replaces.
 */
export function countingTemplate(
  job: Job,
  template: PodTemplate,
  last: Pod | undefined,
): PodTemplate {
  if (!limitsEachIndex(job)) return template;
  const isIgnored = last !== undefined && !isCounted(job, last);
  const failures = countAt(last, FAILURES) + (last === undefined || isIgnored ? 0 : 1);
  const ignored = countAt(last, IGNORED) + (isIgnored ? 1 : 0);
  const annotations = {
    ...template.metadata?.annotations,
    [FAILURES]: String(failures),
    ...(ignored > 0 ? { [IGNORED]: String(ignored) } : {}),
  };
  return { ...template, metadata: { ...template.metadata, annotations } };
}

function attemptsOf(pod: Pod): number {
  return countAt(pod, FAILURES) + countAt(pod, IGNORED);
}

/** The number in an annotation; 0 if it is missing or invalid. */
function countAt(pod: Pod | undefined, annotation: string): number {
  const text = pod?.metadata.annotations?.[annotation] ?? '';
  const count = /^\+?\d+$/.test(text) ? Number(text) : 0;
  return count > MAX_INT32 ? 0 : count;
}
