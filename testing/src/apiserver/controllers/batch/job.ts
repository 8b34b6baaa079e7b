import type { Clock, ObjectKey } from 'chancery';
import { splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import { createdOrTold, deletedOrTold } from '../pods/creation-failure.ts';
import { watchDependents, watchSelf } from '../pods/dependents.ts';
import { isActive, isFinished, isTerminating, type Pod } from '../pods/pod.ts';
import { PODS, podFrom } from '../pods/pod-template.ts';
import { isNamespaceEnding } from '../runner/controller-runner.ts';
import { Slice } from '../runner/slice.ts';
import type { Again, WorkloadController } from '../runner/workload-controller.ts';
import {
  indexedName,
  indexedTemplate,
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
  totalOf,
  untrack,
  untrackOrphans,
  withEnded,
  withTracking,
} from './job-pod-count.ts';
import { endOf, type JobTools, reportStatus, succeededOf, type Verdict } from './job-status.ts';

/** How many failed Pods a Job puts up with, unless it says otherwise. */
const DEFAULT_BACKOFF_LIMIT = 6;

/** The controller that a Job means which names none. */
const OWN_NAME = 'kubernetes.io/job-controller';

/** Makes Pods until as many have succeeded as the Job asks for, or too many have failed. */
export function jobController(
  access: ClusterAccess,
  clock: Clock,
  record: RecordEvent = recordNothing,
): WorkloadController {
  return {
    watches: [watchSelf(JOBS), watchDependents(PODS, 'Job')],
    reconcile: (key) => reconcile({ access, clock, record }, key),
  };
}

function reconcile(tools: JobTools, key: ObjectKey): Again {
  const { access, clock } = tools;
  const { namespace, name } = splitKey(key);
  const job = access.get(JOBS, namespace, name) as Job | undefined;
  if ((job?.spec.managedBy ?? OWN_NAME) !== OWN_NAME) return undefined;
  const isOver = job !== undefined && trueCondition(job, 'Complete', 'Failed') !== undefined;
  const pods = access.list(PODS, namespace) as readonly Pod[];
  untrackOrphans(access, pods, name, isOver ? undefined : job?.metadata.uid);
  if (job === undefined) return undefined;
  if (isOver) return expire(access, clock, job);
  return sync(
    tools,
    job,
    pods.filter((pod) => isOf(job, pod)),
  );
}

/** Deletes a Job that is over when its time to live is. @returns milliseconds until then. */
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

/** One look at a Job that is not over: Pods are made or deleted, and those that have ended are counted. */
function sync(tools: JobTools, job: Job, pods: readonly Pod[]): Again {
  const count = withEnded(settled(job.status ?? {}, pods), pods, (pod) => endOf(job, pod));
  const verdict = verdictSoFar(job) ?? failureOf(job, pods, count, tools.clock.now());
  const isGoing = job.metadata.deletionTimestamp !== undefined;
  let again: Again;
  let problem: unknown;
  try {
    if (verdict !== undefined) again = stopAll(tools, job, pods);
    else if (!isGoing) again = manage(tools, job, pods, succeededOf(job, pods, count));
  } catch (error) {
    if (isNamespaceEnding(error)) throw error;
    problem = error;
  }
  const isStopped = again !== 'more' && problem === undefined;
  const later = reportStatus(tools, job, isStopped ? verdict : undefined, {
    isManaged: verdict === undefined && !isGoing,
  });
  if (problem !== undefined) throw problem;
  return again ?? later;
}

/** What an earlier look has found out, of which only the end is missing. */
function verdictSoFar(job: Job): Verdict | undefined {
  const found = trueCondition(job, 'SuccessCriteriaMet', 'FailureTarget');
  if (found === undefined) return undefined;
  const { reason = '', message = '' } = found;
  return { isSuccess: found.type === 'SuccessCriteriaMet', reason, message };
}

/** Why a Job has failed; undefined while it has not. */
function failureOf(
  job: Job,
  pods: readonly Pod[],
  count: PodCount,
  nowMs: number,
): Verdict | undefined {
  const { backoffLimit = DEFAULT_BACKOFF_LIMIT, activeDeadlineSeconds } = job.spec;
  if (totalOf(count, 'failed') > backoffLimit || isRestartedTooOften(job, pods, backoffLimit)) {
    const message = 'Job has reached the specified backoff limit';
    return { isSuccess: false, reason: 'BackoffLimitExceeded', message };
  }
  const startTime = job.status?.startTime;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job))
    return undefined;
  if (nowMs - Date.parse(startTime) < activeDeadlineSeconds * 1_000) return undefined;
  const message = 'Job was active longer than specified deadline';
  return { isSuccess: false, reason: 'DeadlineExceeded', message };
}

/** Containers that start again in the same Pod count as well, where the Pods of a Job allow that. */
function isRestartedTooOften(job: Job, pods: readonly Pod[], backoffLimit: number): boolean {
  if (job.spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
    .flatMap(({ status }) => [status?.initContainerStatuses, status?.containerStatuses].flat())
    .reduce<number>(
      (sum, container) =>
        sum + ((container as { restartCount?: number } | undefined)?.restartCount ?? 0),
      0,
    );
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

function manage(
  tools: JobTools,
  job: Job,
  pods: readonly Pod[],
  succeeded: number,
): 'more' | undefined {
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
  return missing > 0 ? createPods(tools, job, pods, missing) : undefined;
}

function createPods(
  tools: JobTools,
  job: Job,
  pods: readonly Pod[],
  missing: number,
): 'more' | undefined {
  const slice = new Slice(tools.clock);
  if (!isIndexed(job)) {
    let left = missing;
    for (; left > 0 && !slice.isOver; left--) slice.step(() => createPod(tools, job, undefined));
    return left > 0 ? 'more' : undefined;
  }
  const working = pods.filter((pod) => (replacesOnlyEnded(job) ? !isFinished(pod) : isActive(pod)));
  const pending = pendingIndexes(job, succeededIndexes(job, pods), working, missing);
  return slice.forEach(pending, (index) => createPod(tools, job, index)) ? undefined : 'more';
}

function createPod({ access, record }: JobTools, job: Job, index: number | undefined): void {
  const { name, uid = '' } = job.metadata;
  const { template } = job.spec;
  const pod = podFrom(
    index === undefined ? template : indexedTemplate(template, name, index),
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
  const { metadata } = createdOrTold(record, job, () =>
    access.create(PODS, { ...pod, metadata: { ...pod.metadata, finalizers } }),
  );
  record(job, { reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
}

/** Deletes Pods that the Job does not need any more: they have not failed, and are not counted. */
function giveUp(tools: JobTools, job: Job, pods: readonly Pod[]): 'more' | undefined {
  const slice = new Slice(tools.clock);
  const isDone = slice.forEach(pods, (pod) => {
    slice.step(() => untrack(tools.access, pod));
    deletePod(tools, job, pod);
  });
  return isDone ? undefined : 'more';
}

/** Deletes the Pods of a Job that is over: those that have not ended count as failed, if the Job has failed. */
function stopAll(tools: JobTools, job: Job, pods: readonly Pod[]): 'more' | undefined {
  const isDone = new Slice(tools.clock).forEach(pods.filter(isActive), (pod) =>
    deletePod(tools, job, pod),
  );
  return isDone ? undefined : 'more';
}

function deletePod({ access, record }: JobTools, job: Job, { metadata }: Pod): void {
  deletedOrTold(record, job, () => access.delete(PODS, metadata.namespace, metadata.name));
  record(job, { reason: 'SuccessfulDelete', message: `Deleted pod: ${metadata.name}` });
}
