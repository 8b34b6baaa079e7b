import type { Pod } from '../pods/pod.ts';
import { isCounted } from './job-failure-policy.ts';
import { indexOf, isIndexed } from './job-indexes.ts';
import { type Job, replacesOnlyEnded } from './job-object.ts';
import type { UncountedPods } from './job-pod-count.ts';

/** How a Pod has ended; undefined while it has not. A Pod that is deleted before has failed. */
export function endOf(job: Job, { status, metadata }: Pod): keyof UncountedPods | undefined {
  if (status?.phase === 'Succeeded') return 'succeeded';
  if (status?.phase === 'Failed') return 'failed';
  const isGoing = metadata.deletionTimestamp !== undefined;
  return isGoing && !replacesOnlyEnded(job) ? 'failed' : undefined;
}

/**
 * As what the status counts a Pod one by one: of a Job with indexes an index is counted, and no Pod without one. A
 * failure that the policy of the Job ignores is not counted.
 *
 * @param isFailure - the Job has failed: each Pod that has not ended counts as failed.
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
