import { createHash } from 'node:crypto';
import { controllerOf, isAlreadyExists, OperatorError, type Permission } from 'chancery';
import { type CronJob, cronJobs, type Job, jobs } from 'chancery/kubernetes';
import type { CronJobMode } from '../contract/options.ts';
import type { RestartPlan } from '../record/plan-types.ts';
import type { RestartContext, RestartOutcome, WorkloadKind } from './kind.ts';
import { targetOf, templatePatch } from './rolling.ts';
import { changedTemplate } from './template-changes.ts';

/** Annotation of a CronJob: how many Jobs were started because of changes. It makes their names differ. */
export const JOBS_STARTED = 'reloader.chancery.dev/jobs-started';

/** As `kubectl create job --from=cronjob/…` marks a Job that no schedule has started. */
const INSTANTIATE = 'cronjob.kubernetes.io/instantiate';

/**
 * CronJobs. `job` starts a Job with the new configuration and leaves the CronJob as it is, except for annotations of
 * its metadata; `patch` changes the Pod template, so that the next scheduled Job shows the change; `none` leaves
 * CronJobs alone. Nothing starts for a CronJob that is suspended.
 *
 * The Jobs of a CronJob are its own business: those that run go on with the configuration they began with.
 */
export function cronJobKind(mode: CronJobMode): WorkloadKind<CronJob> {
  const startsJobs: readonly Permission[] = [{ resource: jobs, verbs: ['create', 'get'] }];
  return {
    kind: 'CronJob',
    resource: cronJobs,
    permissions: mode === 'job' ? startsJobs : [],
    templateOf: ({ spec }) => spec.jobTemplate.spec?.template,
    isDone: () => mode === 'none',
    keepsTemplate: () => mode === 'job',
    async restart(cronJob, plan, context) {
      if (cronJob.spec.suspend === true) return recorded('suspended', cronJob, plan, context);
      if (mode === 'patch') return patchTemplate(cronJob, plan, context);
      // As in the original: without its Secret or ConfigMap the Job could only fail.
      const startsNothing = plan.changes.every(({ deleted }) => deleted) && !isShown(plan);
      if (startsNothing) return recorded('deleted', cronJob, plan, context);
      return startJob(cronJob, plan, context);
    },
  };
}

function isShown({ templateAnnotations }: RestartPlan): boolean {
  return Object.values(templateAnnotations).some((value) => value !== null);
}

async function recorded(
  reason: string,
  cronJob: CronJob,
  plan: RestartPlan,
  context: RestartContext<CronJob>,
): Promise<RestartOutcome> {
  await context.record(cronJob, plan);
  return { outcome: 'recorded', reason };
}

async function patchTemplate(
  cronJob: CronJob,
  plan: RestartPlan,
  { reconcile: { client } }: RestartContext<CronJob>,
): Promise<RestartOutcome> {
  const { uid, resourceVersion } = cronJob.metadata;
  const body = {
    metadata: { uid, resourceVersion, annotations: plan.annotations },
    spec: {
      jobTemplate: {
        spec: { template: templatePatch(cronJob.spec.jobTemplate.spec?.template, plan) },
      },
    },
  };
  await client.patch(cronJobs, targetOf(cronJob), { type: 'strategic', body });
  return { outcome: 'restarted' };
}

/**
 * Starts the Job, and then records the change. After a crash in between, the same plan makes a Job of the same name,
 * which is there already: that counts as started.
 */
async function startJob(
  cronJob: CronJob,
  plan: RestartPlan,
  context: RestartContext<CronJob>,
): Promise<RestartOutcome> {
  const started = startedBefore(cronJob);
  await createOnce(cronJob, plan, started, context);
  const annotations = { ...plan.annotations, [JOBS_STARTED]: String(started + 1) };
  await context.record(cronJob, { annotations });
  return { outcome: 'restarted' };
}

function startedBefore({ metadata }: CronJob): number {
  const count = Number(metadata.annotations?.[JOBS_STARTED] ?? 0);
  return Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

/** Names that others may have taken before one of ours is free: one in 2^40 is. */
const MOST_NAMES = 3;

async function createOnce(
  cronJob: CronJob,
  plan: RestartPlan,
  started: number,
  { reconcile: { client } }: RestartContext<CronJob>,
): Promise<void> {
  const { namespace, uid } = cronJob.metadata;
  for (let turn = 0; turn < MOST_NAMES; turn++) {
    const name = jobName(cronJob, plan, [started, turn]);
    try {
      await client.create(jobs, jobOf(cronJob, plan, name));
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const found = await client.find(jobs, { namespace, name });
    if (found === undefined || controllerOf(found)?.uid === uid) return;
  }
  throw new OperatorError('other Jobs have the names that the Job of a CronJob can have', {
    code: 'USER_CODE',
    layer: 'user-code',
  });
}

/**
 * `NAME-` and 10 characters, as `generateName` would choose, but the same for the same changes. A CronJob has at most
 * 52 characters in its name, and a Job 63.
 */
function jobName(
  { metadata: { name, uid } }: CronJob,
  { changes }: RestartPlan,
  more: readonly number[],
): string {
  const values = changes.map(({ type, name: resource, hash }) => [type, resource, hash]);
  const digest = createHash('sha1').update(JSON.stringify([uid, values, ...more]));
  return `${name}-${digest.digest('hex').slice(0, 10)}`;
}

/** A Job of the template of `cronJob`, which shows the changes in its Pod template. */
function jobOf({ metadata, spec }: CronJob, plan: RestartPlan, name: string): Job {
  const { metadata: given = {}, spec: template } = spec.jobTemplate;
  if (template === undefined) throw new TypeError('a CronJob without a Pod template');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      generateName: `${metadata.name}-`,
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      ...(given.labels !== undefined && { labels: given.labels }),
      annotations: { [INSTANTIATE]: 'manual', ...given.annotations },
      ownerReferences: [
        // Without `blockOwnerDeletion`, as kubectl does: where it is enforced, it needs rights on the CronJob.
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    spec: { ...template, template: changedTemplate(template.template, plan) },
  };
}
