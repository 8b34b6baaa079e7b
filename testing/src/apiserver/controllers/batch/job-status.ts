import type { Clock } from 'chancery';
import { rfc3339 } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { nonZero } from '../apps/replica-set.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isActive, isReady, isTerminating, type Pod, type PodCondition } from '../pods/pod.ts';
import { Slice } from '../runner/slice.ts';
import type { Again } from '../runner/workload-controller.ts';
import {
  countOf as indexCount,
  indexOf,
  isIndexed,
  succeededIndexes,
  textOfIndexes,
} from './job-indexes.ts';
import {
  isSuspended,
  JOBS,
  type Job,
  type JobStatus,
  podsOf,
  replacesOnlyEnded,
  type Said,
  saying,
} from './job-object.ts';
import {
  bounded,
  isTracked,
  type PodCount,
  settled,
  totalOf,
  type UncountedPods,
  uncountedOf,
  untrack,
  withEnded,
} from './job-pod-count.ts';

export interface JobTools {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly record: RecordEvent;
}

/** How a Job ends. */
export interface Verdict {
  readonly isSuccess: boolean;
  readonly reason: string;
  readonly message: string;
}

/** How a Pod has ended; undefined while it has not. A Pod that is deleted before has failed. */
export function endOf(job: Job, { status, metadata }: Pod): keyof UncountedPods | undefined {
  if (status?.phase === 'Succeeded') return 'succeeded';
  if (status?.phase === 'Failed') return 'failed';
  const isGoing = metadata.deletionTimestamp !== undefined;
  return isGoing && !replacesOnlyEnded(job) ? 'failed' : undefined;
}

/** How many Pods, or indexes, have succeeded, whether or not the status has counted them. */
export function succeededOf(job: Job, pods: readonly Pod[], count: PodCount): number {
  return isIndexed(job) ? indexCount(succeededIndexes(job, pods)) : totalOf(count, 'succeeded');
}

/**
 * Counts the Pods that have ended, and says what the numbers mean: first the status names them, then
 * their finalizers go, then they are counted. The Job is over when that is done, and no Pod is left
 * that goes.
 *
 * @param verdict - how the Job ends, if a look at its Pods has shown that already.
 */
export function reportStatus(
  tools: JobTools,
  job: Job,
  verdict: Verdict | undefined,
  { isManaged }: { readonly isManaged: boolean },
): Again {
  const { access, clock } = tools;
  const { namespace, name, uid } = job.metadata;
  const live = access.get(JOBS, namespace, name) as Job | undefined;
  if (live === undefined || live.metadata.uid !== uid) return undefined;
  const pods = podsOf(access, job);
  const ended = withEnded(settled(live.status ?? {}, pods), pods, (pod) =>
    uncountedEnd(job, pod, verdict?.isSuccess === false),
  );
  const outcome = verdict ?? successOf(job, pods, ended);
  const noted = bounded(ended);
  const started =
    outcome === undefined && isManaged ? suspension(tools, live) : startOf(tools, live);
  const first: JobStatus = {
    ...started,
    conditions: withVerdict(started.conditions ?? [], outcome, 'interim', clock.now()),
  };
  const written = writeStatus(access, live, first, noted, pods);
  const released = releasable(written, pods, noted, outcome);
  const isReleased = new Slice(clock).forEach(released, (pod) => untrack(access, pod));
  const left = released.length === 0 ? pods : podsOf(access, job);
  const counted = settled(written.status ?? {}, left);
  const isOver =
    outcome !== undefined &&
    isReleased &&
    uncountedOf(noted) === uncountedOf(ended) &&
    uncountedOf(counted) === 0 &&
    !left.some(isTerminating);
  finish(tools, written, first, counted, left, isOver ? outcome : undefined);
  if (!isReleased || uncountedOf(noted) < uncountedOf(ended)) return 'more';
  // A Job that ends waits for its Pods alone.
  return outcome === undefined ? deadlineInMs(job, first, clock.now()) : undefined;
}

/** Success without a number is that of one Pod, when the others have ended, too. */
function successOf(job: Job, pods: readonly Pod[], count: PodCount): Verdict | undefined {
  const succeeded = succeededOf(job, pods, count);
  const isEnough =
    job.spec.completions === undefined ? succeeded > 0 : succeeded >= job.spec.completions;
  if (!isEnough || pods.some(isActive)) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { isSuccess: true, reason: 'CompletionsReached', message };
}

/** As what the status counts a Pod one by one: of a Job with indexes an index is counted, and no Pod without one. */
function uncountedEnd(job: Job, pod: Pod, isFailure: boolean): keyof UncountedPods | undefined {
  const end = endOf(job, pod) ?? (isFailure ? 'failed' : undefined);
  if (!isIndexed(job)) return end;
  return end === 'failed' && indexOf(job, pod) !== undefined ? end : undefined;
}

function startOf({ clock }: JobTools, { spec, status = {} }: Job): JobStatus {
  if (status.startTime !== undefined || spec.suspend === true) return status;
  return { ...status, startTime: rfc3339(clock.now()) };
}

/** Says that the Job is suspended, or goes on: its time begins anew then. */
function suspension(tools: JobTools, job: Job): JobStatus {
  const { clock, record } = tools;
  const status = startOf(tools, job);
  const said: Said = isSuspended(job)
    ? { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  const before = status.conditions ?? [];
  const conditions = saying(before, said, clock.now());
  if (conditions === before) return status;
  const isNow = said.status === 'True';
  record(job, { reason: isNow ? 'Suspended' : 'Resumed', message: said.message });
  const { startTime: _, ...rest } = status;
  return { ...rest, ...(isNow ? {} : { startTime: rfc3339(clock.now()) }), conditions };
}

function withVerdict(
  conditions: readonly PodCondition[],
  verdict: Verdict | undefined,
  stage: 'interim' | 'final',
  nowMs: number,
): readonly PodCondition[] {
  if (verdict === undefined) return conditions;
  const { isSuccess, reason, message } = verdict;
  const interim = isSuccess ? 'SuccessCriteriaMet' : 'FailureTarget';
  const final = isSuccess ? 'Complete' : 'Failed';
  const type = stage === 'interim' ? interim : final;
  return saying(conditions, { type, status: 'True', reason, message }, nowMs);
}

function writeStatus(
  access: ClusterAccess,
  job: Job,
  status: JobStatus,
  count: PodCount,
  pods: readonly Pod[],
): Job {
  const { conditions = [], startTime, completionTime } = status;
  const active = pods.filter(isActive);
  const { failed, uncounted } = count;
  const indexes = isIndexed(job) ? succeededIndexes(job, pods) : undefined;
  const succeeded = indexes === undefined ? count.succeeded : indexCount(indexes);
  const completedIndexes = indexes && textOfIndexes(indexes);
  const named = Object.entries(uncounted).filter(([, uids]) => uids.length > 0);
  return access.updateStatus(JOBS, {
    ...job,
    status: {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(completionTime === undefined ? {} : { completionTime }),
      ...nonZero({ active: active.length, succeeded, failed }),
      ...(completedIndexes ? { completedIndexes } : {}),
      terminating: pods.filter(isTerminating).length,
      uncountedTerminatedPods: Object.fromEntries(named),
      ready: active.filter(isReady).length,
    },
  } as StoredObject) as Job;
}

/** Pods whose finalizer may go: the status names them, or need not count them. */
function releasable(
  job: Job,
  pods: readonly Pod[],
  { uncounted }: PodCount,
  verdict: Verdict | undefined,
): readonly Pod[] {
  const named = new Set([...uncounted.succeeded, ...uncounted.failed]);
  const isOver = verdict !== undefined || job.metadata.deletionTimestamp !== undefined;
  const isFailure = verdict?.isSuccess === false;
  return pods.filter((pod) => {
    if (!isTracked(pod)) return false;
    if (uncountedEnd(job, pod, isFailure) !== undefined) return named.has(pod.metadata.uid ?? '');
    return isOver || endOf(job, pod) !== undefined;
  });
}

function finish(
  { access, clock, record }: JobTools,
  job: Job,
  status: JobStatus,
  count: PodCount,
  pods: readonly Pod[],
  verdict: Verdict | undefined,
): void {
  const conditions = withVerdict(status.conditions ?? [], verdict, 'final', clock.now());
  const end = verdict?.isSuccess === true ? { completionTime: rfc3339(clock.now()) } : {};
  writeStatus(access, job, { ...status, conditions, ...end }, count, pods);
  if (verdict === undefined) return;
  const { isSuccess, reason, message } = verdict;
  if (!isSuccess) record(job, { type: 'Warning', reason, message });
  else {
    if (count.succeeded > (job.spec.completions ?? count.succeeded)) {
      const surplus = 'Too many succeeded pods running after completion count reached';
      record(job, { type: 'Warning', reason: 'TooManySucceededPods', message: surplus });
    }
    record(job, { reason: 'Completed', message: 'Job completed' });
  }
}

/** Milliseconds until the Job has been active for too long; undefined when it may be for ever. */
function deadlineInMs({ spec }: Job, { startTime }: JobStatus, nowMs: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  return Math.max(Date.parse(startTime) + spec.activeDeadlineSeconds * 1_000 - nowMs, 0);
}
