import type { Clock, ObjectKey } from 'chancery';
import {
  controllerOf,
  isAlreadyExists,
  OperatorError,
  rfc3339,
  splitKey,
} from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import { createdOrReported } from '../pods/creation-failure.ts';
import { watchDependents, watchSelf } from '../pods/dependents.ts';
import { controllerReference } from '../pods/pod-template.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';
import { type CronSchedule, cronSchedule } from './cron-schedule.ts';
import { JOBS } from './job-object.ts';

const CRON_JOBS: ResourceName = 'cronjobs.batch';

/** The API's defaults for the history limits of a CronJob. */
const DEFAULT_SUCCESSFUL = 3;
const DEFAULT_FAILED = 1;

/**
 * After this number of missed times, the controller records a warning and ignores all times except those of
 * the last minutes. The real controller has the same limit.
 */
const MOST_MISSED = 100;

interface JobReference {
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

interface CronJob extends StoredObject {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly startingDeadlineSeconds?: number;
    readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
    readonly suspend?: boolean;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
    readonly jobTemplate: { readonly metadata?: StoredObject['metadata']; readonly spec: object };
  };
  readonly status?: {
    readonly active?: readonly JobReference[];
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
  };
}

interface Tools {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly record: RecordEvent;
}

/** Creates a Job at each time of the schedule, and deletes old Jobs. */
export function cronJobController(
  access: ClusterAccess,
  clock: Clock,
  record: RecordEvent = recordNothing,
): WorkloadController {
  return {
    watches: [watchSelf(CRON_JOBS), watchDependents(JOBS, 'CronJob')],
    reconcile: (key) => reconcile({ access, clock, record }, key),
  };
}

/** @returns milliseconds until the next scheduled time. */
function reconcile(tools: Tools, key: ObjectKey): number | undefined {
  const { access, clock, record } = tools;
  const { namespace, name } = splitKey(key);
  const found = access.get(CRON_JOBS, namespace, name) as CronJob | undefined;
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return undefined;
  const jobs = access.list(JOBS, namespace).filter((job) => isOf(job, found));
  forgetOldJobs(tools, found, jobs);
  const cronJob = withStatus(tools, found, jobs);
  if (cronJob.spec.suspend === true) return undefined;
  const schedule = scheduleOf(record, cronJob);
  if (schedule === undefined) return undefined;
  const due = latestDue(tools, cronJob, schedule);
  if (due !== undefined) run(tools, cronJob, due, jobs);
  const next = schedule.nextAfter(clock.now());
  return next === undefined ? undefined : next - clock.now();
}

function isOf(job: StoredObject, { metadata }: CronJob): boolean {
  return controllerOf(job)?.uid === metadata.uid;
}

function scheduleOf(record: RecordEvent, cronJob: CronJob): CronSchedule | undefined {
  const { schedule, timeZone } = cronJob.spec;
  try {
    return cronSchedule(schedule, timeZone);
  } catch (error) {
    if (error instanceof OperatorError) throw error; // the library is not installed
    const message = `unparseable schedule: ${schedule} : ${String(error)}`;
    record(cronJob, { type: 'Warning', reason: 'UnparseableSchedule', message });
    return undefined;
  }
}

/**
 * The latest scheduled time between the last run and now. Undefined if there is none, or if its starting
 * deadline has also passed.
 */
function latestDue(
  { clock, record }: Tools,
  cronJob: CronJob,
  schedule: CronSchedule,
): number | undefined {
  const nowMs = clock.now();
  const { startingDeadlineSeconds: deadline } = cronJob.spec;
  const { creationTimestamp = '' } = cronJob.metadata;
  const since = Date.parse(cronJob.status?.lastScheduleTime ?? creationTimestamp);
  const from = deadline === undefined ? since : Math.max(since, nowMs - deadline * 1_000);
  let due: number | undefined;
  let missed = 0;
  for (let at = schedule.nextAfter(from); at !== undefined && at <= nowMs; ) {
    due = at;
    missed++;
    if (missed > MOST_MISSED) {
      const message =
        'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      record(cronJob, { type: 'Warning', reason: 'TooManyMissedTimes', message });
      // The times of the last minutes are enough to find the latest one.
      at = schedule.nextAfter(Math.max(at, nowMs - MOST_MISSED * 60_000));
      missed = 0;
    } else at = schedule.nextAfter(at);
  }
  return due;
}

function run(tools: Tools, cronJob: CronJob, dueMs: number, jobs: readonly StoredObject[]): void {
  const { access, clock, record } = tools;
  const active = jobs.filter((job) => endOf(job) === undefined);
  const { concurrencyPolicy = 'Allow' } = cronJob.spec;
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const message =
      'Not starting job because prior execution is running and concurrency policy is Forbid';
    record(cronJob, { reason: 'JobAlreadyActive', message });
    return;
  }
  const replaced = concurrencyPolicy === 'Replace' ? active : [];
  for (const job of replaced) removeJob(tools, cronJob, job);
  const job = makeJob(tools, cronJob, dueMs);
  if (job === undefined) return;
  record(cronJob, { reason: 'SuccessfulCreate', message: `Created job ${job.metadata.name}` });
  const live = access.get(CRON_JOBS, cronJob.metadata.namespace, cronJob.metadata.name) as CronJob;
  const gone = new Set(replaced.map(({ metadata }) => metadata.uid));
  const others = (live.status?.active ?? []).filter(({ uid }) => !gone.has(uid));
  const lastScheduleTime = rfc3339(Math.min(dueMs, clock.now()));
  const status = { ...live.status, active: [...others, referenceTo(job)], lastScheduleTime };
  access.updateStatus(CRON_JOBS, { ...live, status } as StoredObject);
}

/** @returns undefined when the Job for this scheduled time already exists. */
function makeJob(
  { access, record }: Tools,
  cronJob: CronJob,
  dueMs: number,
): StoredObject | undefined {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const { name, namespace } = cronJob.metadata;
  const annotations = {
    ...metadata?.annotations,
    'batch.kubernetes.io/cronjob-scheduled-timestamp': rfc3339(dueMs),
  };
  try {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        // The name contains the minute, so that a scheduled time never gets two Jobs.
        name: `${name}-${Math.floor(dueMs / 60_000)}`,
        ...(namespace === undefined ? {} : { namespace }),
        ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
        annotations,
        ownerReferences: [controllerReference(cronJob)],
      },
      spec,
    } as StoredObject;
    return createdOrReported(
      record,
      cronJob,
      () => access.create(JOBS, job),
      (why) => `Error creating job: ${why}`,
    );
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

function referenceTo({ metadata }: StoredObject): JobReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: 'Job',
    apiVersion: 'batch/v1',
    namespace,
    name,
    uid,
    resourceVersion,
  } as JobReference;
}

/** How a Job has ended; undefined while it is running. */
function endOf(job: StoredObject): 'Complete' | 'Failed' | undefined {
  const { conditions = [] } = (job.status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  const end = conditions.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return end?.type as 'Complete' | 'Failed' | undefined;
}

/** Removes finished Jobs from `status.active`. */
function withStatus(
  { access, record }: Tools,
  cronJob: CronJob,
  jobs: readonly StoredObject[],
): CronJob {
  const { status = {} } = cronJob;
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]));
  let lastSuccessfulTime = status.lastSuccessfulTime;
  const active = (status.active ?? []).filter(({ name, uid }) => {
    const job = byUid.get(uid);
    const end = job && endOf(job);
    if (end === undefined) return job !== undefined;
    record(cronJob, {
      reason: 'SawCompletedJob',
      message: `Saw completed job: ${name}, condition: ${end}`,
    });
    const { completionTime } = (job?.status ?? {}) as { readonly completionTime?: string };
    if (completionTime !== undefined && completionTime > (lastSuccessfulTime ?? ''))
      lastSuccessfulTime = completionTime;
    return false;
  });
  if (active.length === (status.active ?? []).length) return cronJob;
  const next = {
    ...status,
    active: active.length === 0 ? undefined : active,
    lastSuccessfulTime,
  };
  const kept = Object.entries(next).filter(([, value]) => value !== undefined);
  const changed = { ...cronJob, status: Object.fromEntries(kept) } as unknown as StoredObject;
  return access.updateStatus(CRON_JOBS, changed) as CronJob;
}

function forgetOldJobs(tools: Tools, cronJob: CronJob, jobs: readonly StoredObject[]): void {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
  const limits = [
    ['Complete', successfulJobsHistoryLimit ?? DEFAULT_SUCCESSFUL],
    ['Failed', failedJobsHistoryLimit ?? DEFAULT_FAILED],
  ] as const;
  for (const [end, limit] of limits) {
    const ended = jobs
      .filter((job) => endOf(job) === end && job.metadata.deletionTimestamp === undefined)
      .toSorted((left, right) => startOf(left) - startOf(right));
    for (const job of ended.slice(0, Math.max(ended.length - limit, 0)))
      removeJob(tools, cronJob, job);
  }
}

function startOf(job: StoredObject): number {
  const { startTime } = (job.status ?? {}) as { readonly startTime?: string };
  return Date.parse(startTime ?? job.metadata.creationTimestamp ?? '') || 0;
}

function removeJob({ access, record }: Tools, cronJob: CronJob, { metadata }: StoredObject): void {
  access.delete(JOBS, metadata.namespace, metadata.name, { propagationPolicy: 'Background' });
  record(cronJob, { reason: 'SuccessfulDelete', message: `Deleted job ${metadata.name}` });
}
