import type { Clock } from 'chancery';
import { rfc3339 } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { nonZero } from '../apps/replica-set.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isActive, isReady, isTerminating, type Pod, type PodCondition } from '../pods/pod.ts';
import { Slice } from '../runner/slice.ts';
import type { Again } from '../runner/workload-controller.ts';
import { countedEnd, endOf } from './job-end.ts';
import { awaitingReplacement, failedIndexes } from './job-index-failures.ts';
import {
  type Indexes,
  countOf as indexCount,
  isIndexed,
  succeededIndexes,
  textOfIndexes,
} from './job-indexes.ts';
import {
  type ConditionContent,
  isSuspended,
  JOBS,
  type Job,
  type JobStatus,
  podsOf,
  withCondition,
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
import type { Verdict } from './job-verdict.ts';

export interface JobTools {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly record: RecordEvent;
}

/** What a reconcile of a Job has done, apart from counting the Job's Pods. */
interface Managed {
  /** True if the number of the Job's Pods was adjusted. */
  readonly isManaged: boolean;
  /**
   * True if failed Pods are replaced later. The real controller then reports no active Pods
   * (`manageJob`).
   */
  readonly isWaiting: boolean;
  /**
   * The failed indexes of a Job whose Pods are being stopped. If undefined, they are computed from the
   * current Pods.
   */
  readonly failed: Indexes | undefined;
}

/** The number of succeeded Pods or indexes, whether or not the status has counted them. */
export function succeededOf(job: Job, pods: readonly Pod[], count: PodCount): number {
  return isIndexed(job) ? indexCount(succeededIndexes(job, pods)) : totalOf(count, 'succeeded');
}

/**
 * Counts ended Pods, and writes the status and its conditions. First the status lists the Pods,
 * then their finalizers are removed, then they are counted. The Job is finished when all of this is
 * done and no Pod is terminating.
 *
 * @param verdict - whether the Job succeeds or fails, if its Pods have already decided this.
 */
export function reportStatus(
  tools: JobTools,
  job: Job,
  verdict: Verdict | undefined,
  { isManaged, isWaiting, failed }: Managed,
): Again {
  const { access, clock } = tools;
  const { namespace, name, uid } = job.metadata;
  const live = access.get(JOBS, namespace, name) as Job | undefined;
  if (live === undefined || live.metadata.uid !== uid) return undefined;
  const pods = podsOf(access, job);
  const ended = withEnded(settled(live.status ?? {}, pods), pods, endNow(live, pods, verdict));
  const outcome = verdict ?? successOf(job, pods, ended);
  const noted = bounded(ended);
  const started =
    outcome === undefined && isManaged ? suspension(tools, live) : startOf(tools, live);
  const first: JobStatus = {
    ...started,
    conditions: withVerdict(started.conditions ?? [], outcome, 'interim', clock.now()),
  };
  const written = writeStatus(access, live, first, { count: noted, pods, isWaiting, failed });
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
  finish(
    tools,
    written,
    first,
    { count: counted, pods: left, isWaiting, failed },
    isOver ? outcome : undefined,
  );
  if (!isReleased || uncountedOf(noted) < uncountedOf(ended)) return 'more';
  // A Job that is ending only waits for its Pods.
  return outcome === undefined ? deadlineInMs(job, first, clock.now()) : undefined;
}

/**
 * The Job succeeds when enough Pods have succeeded and no Pod is active any more. Without a number of
 * completions, one succeeded Pod is enough.
 */
function successOf(job: Job, pods: readonly Pod[], count: PodCount): Verdict | undefined {
  const succeeded = succeededOf(job, pods, count);
  const isEnough =
    job.spec.completions === undefined ? succeeded > 0 : succeeded >= job.spec.completions;
  if (!isEnough || pods.some(isActive)) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { isSuccess: true, reason: 'CompletionsReached', message };
}

/**
 * Returns the function that decides whether a Pod is counted now, and as what. A failed Pod that waits for
 * its replacement is counted later.
 */
function endNow(
  job: Job,
  pods: readonly Pod[],
  verdict: Verdict | undefined,
): (pod: Pod) => keyof UncountedPods | undefined {
  const waiting = waitingPods(job, pods, verdict);
  const isFailure = verdict?.isSuccess === false;
  return (pod) => (waiting.has(pod) ? undefined : countedEnd(job, pod, isFailure));
}

/**
 * Failed Pods that are kept until a new Pod has their index. A finished or deleted Job keeps no such Pods.
 */
function waitingPods(
  job: Job,
  pods: readonly Pod[],
  verdict: Verdict | undefined,
): ReadonlySet<Pod> {
  const isOver = verdict !== undefined || job.metadata.deletionTimestamp !== undefined;
  return new Set(isOver ? [] : awaitingReplacement(job, pods).values());
}

function startOf({ clock }: JobTools, { spec, status = {} }: Job): JobStatus {
  if (status.startTime !== undefined || spec.suspend === true) return status;
  return { ...status, startTime: rfc3339(clock.now()) };
}

/** The status with the condition `Suspended`. A resumed Job gets a new start time. */
function suspension(tools: JobTools, job: Job): JobStatus {
  const { clock, record } = tools;
  const status = startOf(tools, job);
  const content: ConditionContent = isSuspended(job)
    ? { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  const before = status.conditions ?? [];
  const conditions = withCondition(before, content, clock.now());
  if (conditions === before) return status;
  const isNow = content.status === 'True';
  record(job, { reason: isNow ? 'Suspended' : 'Resumed', message: content.message });
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
  return withCondition(conditions, { type, status: 'True', reason, message }, nowMs);
}

/** The facts about a Job's Pods that are written to its status. */
interface Counted extends Pick<Managed, 'isWaiting' | 'failed'> {
  readonly count: PodCount;
  readonly pods: readonly Pod[];
}

function writeStatus(
  access: ClusterAccess,
  job: Job,
  status: JobStatus,
  { count, pods, isWaiting, failed: failedSoFar }: Counted,
): Job {
  const { conditions = [], startTime, completionTime } = status;
  const running = pods.filter(isActive);
  const { failed, uncounted } = count;
  const indexes = isIndexed(job) ? succeededIndexes(job, pods) : undefined;
  const succeeded = indexes === undefined ? count.succeeded : indexCount(indexes);
  const completedIndexes = indexes && textOfIndexes(indexes);
  const failures = failedSoFar ?? failedIndexes(job, pods);
  const named = Object.entries(uncounted).filter(([, uids]) => uids.length > 0);
  return access.updateStatus(JOBS, {
    ...job,
    status: {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(completionTime === undefined ? {} : { completionTime }),
      ...nonZero({ active: isWaiting ? 0 : running.length, succeeded, failed }),
      ...(completedIndexes ? { completedIndexes } : {}),
      ...(failures === undefined ? {} : { failedIndexes: textOfIndexes(failures) }),
      terminating: pods.filter(isTerminating).length,
      uncountedTerminatedPods: Object.fromEntries(named),
      ready: running.filter(isReady).length,
    },
  } as StoredObject) as Job;
}

/** Pods whose finalizer may be removed, because the status lists them or does not have to count them. */
function releasable(
  job: Job,
  pods: readonly Pod[],
  { uncounted }: PodCount,
  verdict: Verdict | undefined,
): readonly Pod[] {
  const named = new Set([...uncounted.succeeded, ...uncounted.failed]);
  const isOver = verdict !== undefined || job.metadata.deletionTimestamp !== undefined;
  const waiting = waitingPods(job, pods, verdict);
  const isFailure = verdict?.isSuccess === false;
  return pods.filter((pod) => {
    if (!isTracked(pod) || waiting.has(pod)) return false;
    if (countedEnd(job, pod, isFailure) !== undefined) return named.has(pod.metadata.uid ?? '');
    return isOver || endOf(job, pod) !== undefined;
  });
}

function finish(
  { access, clock, record }: JobTools,
  job: Job,
  status: JobStatus,
  counted: Counted,
  verdict: Verdict | undefined,
): void {
  const conditions = withVerdict(status.conditions ?? [], verdict, 'final', clock.now());
  const end = verdict?.isSuccess === true ? { completionTime: rfc3339(clock.now()) } : {};
  writeStatus(access, job, { ...status, conditions, ...end }, counted);
  if (verdict === undefined) return;
  const { isSuccess, reason, message } = verdict;
  if (!isSuccess) record(job, { type: 'Warning', reason, message });
  else {
    const { succeeded } = counted.count;
    if (succeeded > (job.spec.completions ?? succeeded)) {
      const surplus = 'Too many succeeded pods running after completion count reached';
      record(job, { type: 'Warning', reason: 'TooManySucceededPods', message: surplus });
    }
    record(job, { reason: 'Completed', message: 'Job completed' });
  }
}

/** Milliseconds until the Job exceeds its active deadline; undefined if it has none. */
function deadlineInMs({ spec }: Job, { startTime }: JobStatus, nowMs: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return undefined;
  return Math.max(Date.parse(startTime) + spec.activeDeadlineSeconds * 1_000 - nowMs, 0);
}
