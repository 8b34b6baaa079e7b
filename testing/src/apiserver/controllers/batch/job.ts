import type { Clock, ObjectKey } from 'chancery';
import { ApiError, objectKey, splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import { createdOrReported, deletedOrReported } from '../pods/creation-failure.ts';
import { watchDependents, watchSelf } from '../pods/dependents.ts';
import { isActive, isFinished, isTerminating, type Pod } from '../pods/pod.ts';
import { PODS, podFrom } from '../pods/pod-template.ts';
import { isNamespaceEnding } from '../runner/controller-runner.ts';
import { Slice } from '../runner/slice.ts';
import type { Again, WorkloadController } from '../runner/workload-controller.ts';
import { JobBackoff } from './job-backoff.ts';
import { countedEnd, endOf } from './job-end.ts';
import {
  awaitingReplacement,
  countingTemplate,
  failedIndexes,
  indexBackoffMs,
  limitsEachIndex,
} from './job-index-failures.ts';
import {
  type Indexes,
  indexedName,
  indexedTemplate,
  indexOf,
  isIndexed,
  pendingIndexes,
  succeededIndexes,
  uselessPods,
} from './job-indexes.ts';
import {
  isOf,
  isSuspended,
  JOBS,
  type Job,
  replacesOnlyEnded,
  trueCondition,
} from './job-object.ts';
import {
  type PodCount,
  settled,
  untrack,
  untrackOrphans,
  withEnded,
  withTracking,
} from './job-pod-count.ts';
import { type JobTools, reportStatus, succeededOf } from './job-status.ts';
import { type Verdict, verdictOf } from './job-verdict.ts';

/** The controller of a Job without `managedBy`. */
const OWN_NAME = 'kubernetes.io/job-controller';

/** The tools that a reconcile of a Job needs. */
interface Look extends JobTools {
  readonly backoff: JobBackoff;
  /**
   * The verdicts about Jobs whose Pods are being stopped. A verdict is reached before the Pods are stopped,
   * and does not change when they stop.
   */
  readonly endings: Map<ObjectKey, Ending>;
}

interface Ending {
  readonly uid: string | undefined;
  readonly verdict: Verdict;
  /** The indexes that had failed when the verdict was reached. */
  readonly failed: Indexes | undefined;
}

/** Creates Pods until enough have succeeded, or too many have failed. */
export function jobController(
  access: ClusterAccess,
  clock: Clock,
  record: RecordEvent = recordNothing,
): WorkloadController {
  const tools = { access, clock, record, backoff: new JobBackoff(), endings: new Map() };
  return {
    watches: [watchSelf(JOBS), watchDependents(PODS, 'Job')],
    reconcile: (key) => reconcile(tools, key),
  };
}

function reconcile(tools: Look, key: ObjectKey): Again {
  const { access, clock, backoff, endings } = tools;
  const { namespace, name } = splitKey(key);
  const job = access.get(JOBS, namespace, name) as Job | undefined;
  if ((job?.spec.managedBy ?? OWN_NAME) !== OWN_NAME) return undefined;
  const isOver = job !== undefined && trueCondition(job, 'Complete', 'Failed') !== undefined;
  const pods = access.list(PODS, namespace) as readonly Pod[];
  untrackOrphans(access, pods, name, isOver ? undefined : job?.metadata.uid);
  if (job === undefined || isOver) {
    backoff.forget(key);
    endings.delete(key);
  }
  if (job === undefined) return undefined;
  if (isOver) return expire(access, clock, job);
  return sync(
    tools,
    job,
    pods.filter((pod) => isOf(job, pod)),
  );
}

/**
 * Deletes a finished Job when its time to live has passed.
 * @returns milliseconds until the time to live has passed.
 */
function expire(access: ClusterAccess, clock: Clock, job: Job): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  if (ttlSecondsAfterFinished === undefined || job.metadata.deletionTimestamp !== undefined)
    return undefined;
  const end = trueCondition(job, 'Complete', 'Failed');
  const leftMs =
    Date.parse(end?.lastTransitionTime ?? '') + ttlSecondsAfterFinished * 1_000 - clock.now();
  if (leftMs > 0) return leftMs;
  access.delete(JOBS, job.metadata.namespace, job.metadata.name, {
    propagationPolicy: 'Foreground',
    ...(job.metadata.uid === undefined ? {} : { uid: job.metadata.uid }),
  });
  return undefined;
}

/** Reconciles a Job that is not finished: creates or deletes Pods, and counts ended Pods. */
function sync(tools: Look, job: Job, pods: readonly Pod[]): Again {
  const count = withEnded(settled(job.status ?? {}, pods), pods, (pod) =>
    countedEnd(job, pod, false),
  );
  const ending = endingOf(tools, job, pods, count);
  const verdict = ending?.verdict;
  const isGoing = job.metadata.deletionTimestamp !== undefined;
  const waitMs = backoffMs(tools, job, pods);
  let again: Again;
  let problem: unknown;
  try {
    if (verdict !== undefined) again = stopAll(tools, job, pods, verdict);
    else if (!isGoing)
      again = manage(tools, job, pods, { succeeded: succeededOf(job, pods, count), waitMs });
  } catch (error) {
    if (isNamespaceEnding(error)) throw error;
    problem = error;
  }
  const isStopped = again !== 'more' && problem === undefined;
  const isWaiting = typeof again === 'number';
  const report = (): Again =>
    reportStatus(tools, job, isStopped ? verdict : undefined, {
      isManaged: verdict === undefined && !isGoing,
      isWaiting,
      failed: ending?.failed,
    });
  const later = isWaiting ? unlessRefused(report) : report();
  if (problem !== undefined) throw problem;
  return sooner(again, later);
}

/**
 * Skips a status that the server refuses. While failed Pods wait for their replacement, the real
 * controller counts no Pod as active. If a Pod is ready, the server refuses that status, and the
 * Job keeps its old status until the wait is over. kube-controller-manager v1.36.2 logs "cannot set
 * more ready pods than active".
 */
function unlessRefused(report: () => Again): Again {
  try {
    return report();
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return undefined;
    throw error;
  }
}

function endingOf(
  { endings, clock }: Look,
  job: Job,
  pods: readonly Pod[],
  count: PodCount,
): Ending | undefined {
  const { namespace, name, uid } = job.metadata;
  const key = objectKey(namespace, name);
  const known = endings.get(key);
  if (known !== undefined && known.uid === uid) return known;
  const verdict = verdictOf(job, { pods, count, nowMs: clock.now() });
  if (verdict === undefined) return undefined;
  const ending = { uid, verdict, failed: failedIndexes(job, pods) };
  endings.set(key, ending);
  return ending;
}

/**
 * Milliseconds until the Job replaces failed Pods. With a limit per index, each index has its own
 * delay, and this delay does not apply.
 */
function backoffMs({ backoff, clock }: Look, job: Job, pods: readonly Pod[]): number {
  const { namespace, name, uid } = job.metadata;
  const counted = pods.filter((pod) => !isIndexed(job) || indexOf(job, pod) !== undefined);
  const end = (pod: Pod) => endOf(job, pod);
  const waitMs = backoff.note(objectKey(namespace, name), uid, counted, end, clock.now());
  return limitsEachIndex(job) ? 0 : waitMs;
}

function sooner(again: Again, later: Again): Again {
  if (again === 'more' || later === 'more') return 'more';
  return again === undefined || later === undefined ? (again ?? later) : Math.min(again, later);
}

/** The facts that decide how many Pods a Job needs. */
interface Need {
  readonly succeeded: number;
  /** The delay before new Pods are created. */
  readonly waitMs: number;
}

/**
 * @returns milliseconds until failed Pods are replaced, or `more` when the remaining Pods follow in the next
 * turn.
 */
function manage(
  tools: JobTools,
  job: Job,
  pods: readonly Pod[],
  { succeeded, waitMs }: Need,
): Again {
  const { parallelism = 1, completions } = job.spec;
  const active = pods.filter(isActive);
  if (isSuspended(job)) return giveUp(tools, job, active);
  const useless = isIndexed(job) ? uselessPods(job, active) : [];
  if (useless.length > 0) return giveUp(tools, job, useless);
  const anyNumber = succeeded > 0 ? active.length : parallelism;
  const wanted =
    completions === undefined
      ? anyNumber
      : Math.max(Math.min(completions - succeeded, parallelism), 0);
  if (active.length > wanted) return giveUp(tools, job, active.slice(wanted));
  const going = replacesOnlyEnded(job) ? pods.filter(isTerminating) : [];
  const missing = wanted - going.length - active.length;
  if (missing <= 0) return undefined;
  if (waitMs > 0) return waitMs;
  return isIndexed(job)
    ? createIndexedPods(tools, job, pods, missing)
    : createPods(tools, job, missing);
}

function createPods(tools: JobTools, job: Job, missing: number): 'more' | undefined {
  const slice = new Slice(tools.clock);
  let left = missing;
  for (; left > 0 && !slice.isOver; left--) slice.step(() => createPod(tools, job, {}));
  return left > 0 ? 'more' : undefined;
}

/**
 * Creates the Pods of the lowest indexes that need a Pod. An index that waits for its back-off counts as one
 * of them, although it gets no Pod yet.
 */
function createIndexedPods(
  tools: JobTools,
  job: Job,
  pods: readonly Pod[],
  missing: number,
): Again {
  const nowMs = tools.clock.now();
  const working = pods.filter((pod) => (replacesOnlyEnded(job) ? !isFinished(pod) : isActive(pod)));
  const over = [...succeededIndexes(job, pods), ...(failedIndexes(job, pods) ?? [])];
  const waiting = awaitingReplacement(job, pods);
  const leftMs = (index: number): number => indexBackoffMs(waiting.get(index), nowMs);
  const pending = pendingIndexes(job, over, working, missing);
  const due = pending.filter((index) => leftMs(index) === 0);
  if (due.length === 0) return pending.length === 0 ? undefined : Math.min(...pending.map(leftMs));
  const isDone = new Slice(tools.clock).forEach(due, (index) =>
    createPod(tools, job, { index, replaced: waiting.get(index) }),
  );
  return isDone ? undefined : 'more';
}

/** The index of a new Pod in its Job, and the failed Pod that it replaces. */
interface Place {
  readonly index?: number;
  /** The failed Pod of the same index. */
  readonly replaced?: Pod | undefined;
}

function createPod({ access, record }: JobTools, job: Job, { index, replaced }: Place): void {
  const { name, uid = '' } = job.metadata;
  const { template } = job.spec;
  const pod = podFrom(
    index === undefined
      ? template
      : countingTemplate(job, indexedTemplate(template, name, index), replaced),
    job,
    { generateName: index === undefined ? `${name}-` : indexedName(name, index) },
    {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    },
  );
  const finalizers = withTracking(pod.metadata.finalizers);
  const { metadata } = createdOrReported(record, job, () =>
    access.create(PODS, { ...pod, metadata: { ...pod.metadata, finalizers } }),
  );
  record(job, { reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
}

/** Deletes Pods that the Job no longer needs. They count neither as succeeded nor as failed. */
function giveUp(tools: JobTools, job: Job, pods: readonly Pod[]): 'more' | undefined {
  const slice = new Slice(tools.clock);
  const isDone = slice.forEach(pods, (pod) => {
    slice.step(() => untrack(tools.access, pod));
    deletePod(tools, job, pod);
  });
  return isDone ? undefined : 'more';
}

/**
 * Deletes the Pods of a finished Job. Running Pods count as failed if the Job has failed. If the
 * Job has succeeded, they are not counted.
 */
function stopAll(
  tools: JobTools,
  job: Job,
  pods: readonly Pod[],
  { isSuccess }: Verdict,
): 'more' | undefined {
  const active = pods.filter(isActive);
  if (isSuccess) return giveUp(tools, job, active);
  const isDone = new Slice(tools.clock).forEach(active, (pod) => deletePod(tools, job, pod));
  return isDone ? undefined : 'more';
}

function deletePod({ access, record }: JobTools, job: Job, { metadata }: Pod): void {
  deletedOrReported(record, job, () => access.delete(PODS, metadata.namespace, metadata.name));
  record(job, { reason: 'SuccessfulDelete', message: `Deleted pod: ${metadata.name}` });
}
