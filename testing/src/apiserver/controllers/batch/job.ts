import type { Clock } from 'chancery';
import { type ApiError, controllerOf, type ObjectKey, rfc3339, splitKey } from 'chancery';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { nonZero } from '../apps/replica-set.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import { createdOrTold, withFailure, workAndReport } from '../pods/creation-failure.ts';
import { watchDependents, watchSelf } from '../pods/dependents.ts';
import { isActive, isReady, isTerminating, type Pod, type PodCondition } from '../pods/pod.ts';
import { PODS, type PodTemplate, podFrom } from '../pods/pod-template.ts';
import { Slice } from '../runner/slice.ts';
import type { Again, WorkloadController } from '../runner/workload-controller.ts';

export const JOBS: ResourceName = 'jobs.batch';

/** How many failed Pods a Job puts up with, unless it says otherwise. */
const DEFAULT_BACKOFF_LIMIT = 6;

interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly PodCondition[];
}

interface Job extends StoredObject {
  readonly spec: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly backoffLimit?: number;
    readonly suspend?: boolean;
    readonly ttlSecondsAfterFinished?: number;
    readonly template: PodTemplate;
  };
  readonly status?: JobStatus;
}

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

interface Tools {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly record: RecordEvent;
}

function reconcile(tools: Tools, key: ObjectKey): Again {
  const { access, clock } = tools;
  const { namespace, name } = splitKey(key);
  const job = access.get(JOBS, namespace, name) as Job | undefined;
  if (job === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  if (isOver(job)) return expire(access, clock, job);
  const pods = podsOf(access, job);
  const verdict = verdictOf(job, pods);
  if (verdict === undefined) {
    return workAndReport(
      () => manage(tools, job, pods),
      (failure) => reportStatus(access, clock, job, undefined, failure),
    );
  }
  // A Job that says that it is over is not looked at again: its Pods go first.
  if (stopAll(tools, job, pods) === 'more') return 'more';
  reportStatus(access, clock, job, verdict, undefined);
  recordEnd(tools, job, verdict);
  return undefined;
}

function podsOf(access: ClusterAccess, job: Job): readonly Pod[] {
  const { namespace, uid } = job.metadata;
  return (access.list(PODS, namespace) as readonly Pod[]).filter(
    (pod) => controllerOf(pod)?.uid === uid,
  );
}

function isOver({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: state }) => (type === 'Complete' || type === 'Failed') && state === 'True',
  );
}

/** Deletes a Job that is over when its time to live is. @returns milliseconds until then. */
function expire(access: ClusterAccess, clock: Clock, job: Job): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  if (ttlSecondsAfterFinished === undefined) return undefined;
  const end = job.status?.conditions?.findLast(({ status }) => status === 'True');
  const leftMs =
    Date.parse(end?.lastTransitionTime ?? '') + ttlSecondsAfterFinished * 1_000 - clock.now();
  if (leftMs > 0) return leftMs;
  access.delete(JOBS, job.metadata.namespace, job.metadata.name, {
    propagationPolicy: 'Foreground',
    ...(job.metadata.uid === undefined ? {} : { uid: job.metadata.uid }),
  });
  return undefined;
}

function countOf(pods: readonly Pod[], phase: 'Succeeded' | 'Failed'): number {
  return pods.filter(({ status }) => status?.phase === phase).length;
}

/** How the Job has ended; undefined while it goes on. */
function verdictOf({ spec }: Job, pods: readonly Pod[]): 'Complete' | 'Failed' | undefined {
  if (countOf(pods, 'Failed') > (spec.backoffLimit ?? DEFAULT_BACKOFF_LIMIT)) return 'Failed';
  // Without `completions` the success of one Pod ends the Job when the others have ended.
  const isEnough =
    spec.completions === undefined
      ? countOf(pods, 'Succeeded') > 0 && !pods.some(isActive)
      : countOf(pods, 'Succeeded') >= spec.completions;
  return isEnough ? 'Complete' : undefined;
}

function manage(tools: Tools, job: Job, pods: readonly Pod[]): 'more' | undefined {
  const { parallelism = 1, completions, suspend } = job.spec;
  const active = pods.filter(isActive);
  if (suspend === true) return stopAll(tools, job, active);
  const succeeded = countOf(pods, 'Succeeded');
  const open = completions === undefined ? parallelism : completions - succeeded;
  const wanted = completions === undefined && succeeded > 0 ? active.length : open;
  let missing = Math.min(parallelism, wanted) - active.length;
  const slice = new Slice(tools.clock);
  for (; missing > 0 && !slice.isOver; missing--) slice.step(() => createPod(tools, job));
  if (missing < 0) return stopAll(tools, job, active.slice(missing));
  return missing > 0 ? 'more' : undefined;
}

function createPod({ access, record }: Tools, job: Job): void {
  const { name, uid = '' } = job.metadata;
  const pod = podFrom(
    job.spec.template,
    job,
    { generateName: `${name}-` },
    {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    },
  );
  const { metadata } = createdOrTold(record, job, () => access.create(PODS, pod));
  record(job, { reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
}

function stopAll(
  { access, clock, record }: Tools,
  job: Job,
  pods: readonly Pod[],
): 'more' | undefined {
  const isDone = new Slice(clock).forEach(pods.filter(isActive), ({ metadata }) => {
    access.delete(PODS, metadata.namespace, metadata.name);
    record(job, { reason: 'SuccessfulDelete', message: `Deleted pod: ${metadata.name}` });
  });
  return isDone ? undefined : 'more';
}

function recordEnd({ record }: Tools, job: Job, verdict: 'Complete' | 'Failed'): void {
  if (verdict === 'Complete') record(job, { reason: 'Completed', message: 'Job completed' });
  else {
    const message = 'Job has reached the specified backoff limit';
    record(job, { type: 'Warning', reason: 'BackoffLimitExceeded', message });
  }
}

function reportStatus(
  access: ClusterAccess,
  clock: Clock,
  job: Job,
  verdict: 'Complete' | 'Failed' | undefined,
  failure: ApiError | undefined,
): undefined {
  const { namespace, name, uid } = job.metadata;
  const live = access.get(JOBS, namespace, name) as Job | undefined;
  if (live === undefined || live.metadata.uid !== uid) return;
  const pods = podsOf(access, job);
  const active = pods.filter(isActive);
  const now = rfc3339(clock.now());
  const conditions = [
    ...withFailure(live.status?.conditions ?? [], failure, clock.now()).filter(
      ({ type }) => type !== 'Suspended',
    ),
    ...(job.spec.suspend === true ? [suspended(live, now)] : []),
    ...(verdict === undefined ? [] : ending(verdict, now)),
  ];
  const startTime = live.status?.startTime ?? (job.spec.suspend === true ? undefined : now);
  access.updateStatus(JOBS, {
    ...live,
    status: {
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(verdict === 'Complete' ? { completionTime: now } : {}),
      ...nonZero({
        active: active.length,
        succeeded: countOf(pods, 'Succeeded'),
        failed: countOf(pods, 'Failed'),
      }),
      terminating: pods.filter(isTerminating).length,
      uncountedTerminatedPods: {},
      ready: active.filter(isReady).length,
    },
  } as StoredObject);
}

function suspended(job: Job, now: string): PodCondition {
  const former = job.status?.conditions?.find(({ type }) => type === 'Suspended');
  const reason = { reason: 'JobSuspended', message: 'Job suspended' };
  return former ?? { type: 'Suspended', status: 'True', ...times(now), ...reason };
}

/** The two conditions by which a Job says that it is over. */
function ending(verdict: 'Complete' | 'Failed', now: string): readonly PodCondition[] {
  const isSuccess = verdict === 'Complete';
  const why = isSuccess
    ? { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  const first = isSuccess ? 'SuccessCriteriaMet' : 'FailureTarget';
  return [first, verdict].map((type) => ({ type, status: 'True', ...times(now), ...why }));
}

function times(now: string): {
  readonly lastProbeTime: string;
  readonly lastTransitionTime: string;
} {
  return { lastProbeTime: now, lastTransitionTime: now };
}
