import type { Pod } from '../pods/pod.ts';
import { isCounted } from './job-failure-policy.ts';
import { indexOf, isIndexed } from './job-indexes.ts';
import { type Job, replacesOnlyEnded } from './job-object.ts';
import type { UncountedPods } from './job-pod-count.ts';

/**
 * Whether a Pod succeeded or failed; undefined while it is running. A Pod that is deleted while it is running
 * counts as failed.
 */
export function endOf(job: Job, { status, metadata }: Pod): keyof UncountedPods | undefined {
  if (status?.phase === 'Succeeded') return 'succeeded';
  if (status?.phase === 'Failed') return 'failed';
  const isGoing = metadata.deletionTimestamp !== undefined;
  return isGoing && !replacesOnlyEnded(job) ? 'failed' : undefined;
}

/**
 * The counter in a Job's status that is increased because a Pod has ended. In a Job with indexes, a Pod
 * without an index is not counted. A failure that the failure policy ignores is not counted.
 *
 * @param isFailure - true if the Job has failed. Each Pod that has not ended then counts as failed.
 */
export function countedEnd(
  job: Job,
  pod: Pod,
  isFailure: boolean,
): keyof UncountedPods | undefined {
  const end = endOf(job, pod) ?? (isFailure ? 'failed' : undefined);
  if (end === 'failed' && !isCounted(job, pod)) return undefined;
  if (!isIndexed(job)) return end;
  return end === 'failed' && indexOf(job, pod) !== undefined ? end : undefined;
}
