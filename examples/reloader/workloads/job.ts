import {
  controllerOf,
  type GoneContext,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
  type ObjectKey,
} from 'chancery';
import { controllerRevisions, type Job, jobs } from 'chancery/kubernetes';
import type { RestartPlan } from '../record/plan-types.ts';
import type { RestartContext, RestartOutcome, UpkeepOutcome, WorkloadKind } from './kind.ts';
import { targetOf } from './rolling.ts';
import {
  createStored,
  findStored,
  removeStored,
  type StoredJob,
  storedAtMs,
  storedFor,
  storedJobChanges,
  storeReplacement,
} from './stored-job.ts';

/**
 * Jobs. The Pod template of a Job cannot be changed, so an active Job is deleted and created again under its name.
 * A finished Job is never touched. Nor is a Job that a CronJob controls: the CronJob decides what a change does, and
 * to start both a new Job and the running one again would do the work twice. A suspended Job has no Pods that would
 * have to be restarted.
 *
 * The replacement is stored before the delete, and removed after the create; see `StoredJob`. Each step can be
 * repeated, and after a crash the next process goes on: with the delete while the Job exists, with the create while
 * it does not.
 */
export const jobKind: WorkloadKind<Job> = {
  kind: 'Job',
  resource: jobs,
  permissions: [
    { resource: jobs, verbs: ['get', 'create', 'delete'] },
    { resource: controllerRevisions, verbs: ['get', 'create', 'delete'] },
  ],
  watches: [storedJobChanges],
  templateOf: ({ spec }) => spec.template,
  isDone: (job) => isFinished(job) || controllerOf(job)?.kind === 'CronJob',
  restart: replace,
  upkeep: tidyUp,
  absent: goOn,
};

/** True for a Job whose Pods have all ended, for good or bad. */
function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: state }) => (type === 'Complete' || type === 'Failed') && state === 'True',
  );
}

async function replace(
  job: Job,
  plan: RestartPlan,
  context: RestartContext<Job>,
): Promise<RestartOutcome> {
  if (job.spec.suspend === true) {
    await context.record(job, plan);
    return { outcome: 'recorded', reason: 'suspended' };
  }
  const { client, dryRun } = context.reconcile;
  const stored = await storeReplacement(client, job, plan);
  try {
    await deleteActive(job, context);
  } catch (error) {
    // Not deleted, and no delete is under way: what is stored must not start a Job that has finished.
    if (isConflict(error)) await removeStored(client, stored.revision);
    throw error;
  }
  if (!dryRun) await createAndForget(stored, context.reconcile); // a dry run has deleted nothing
  return { outcome: 'restarted' };
}

/** A Job changes its status with each of its Pods. */
const DELETE_TURNS = 3;

/**
 * Deletes the Job unless it has finished meanwhile: then the server answers 409, as it does when something else has
 * changed. If only the status has, the delete is tried again.
 *
 * @throws ApiError 409: the newer state of the Job is to be looked at.
 */
async function deleteActive(job: Job, { reconcile }: RestartContext<Job>): Promise<void> {
  const { client } = reconcile;
  const { uid = '', generation } = job.metadata;
  let { resourceVersion = '' } = job.metadata;
  for (let turn = 1; ; turn++) {
    try {
      const preconditions = { uid, resourceVersion };
      await client.delete(jobs, targetOf(job), { preconditions, propagationPolicy: 'Background' });
      return;
    } catch (error) {
      // It was deleted by an earlier try whose answer was lost, or by a person a moment ago: nobody can tell.
      if (isNotFound(error)) return;
      if (!isConflict(error) || turn === DELETE_TURNS) throw error;
      const live = await client.find(jobs, targetOf(job));
      if (live?.metadata.uid !== uid || isFinished(live)) throw error;
      if (live.metadata.deletionTimestamp !== undefined) return;
      if (live.metadata.generation !== generation) throw error;
      ({ resourceVersion } = live.metadata);
    }
  }
}

/** Answers false while finalizers hold the old Job; `goOn` creates the new one when the old one is gone. */
async function createAndForget(
  stored: StoredJob,
  { client, log }: Pick<GoneContext, 'client' | 'log'>,
): Promise<boolean> {
  if (!(await createStored(client, stored))) return false;
  await removeStored(client, stored.revision);
  log.info({ job: stored.job.metadata.name }, 'Job created again');
  return true;
}

/** The next try while finalizers hold the old Job: the cache has lost it, and no event may follow. */
const STILL_THERE_MS = 5_000;

/** There is no such Job: creates the one that is stored. */
async function goOn(key: ObjectKey, context: GoneContext): Promise<UpkeepOutcome> {
  const { client } = context;
  for (const cached of storedFor(key, context)) {
    // Asked of the server: a late cache may show one that was carried out, and the Job was deleted since.
    const stored = await findStored(client, cached.revision);
    if (stored === undefined) continue;
    try {
      if (!(await createAndForget(stored, context))) return { waitMs: STILL_THERE_MS };
    } catch (error) {
      // The garbage collector removes what is stored together with the namespace.
      if (isNamespaceTerminating(error)) return {};
      throw error;
    }
  }
  return {};
}

/** A delete that a dead process has sent arrives within this time, if ever. Requests time out much earlier. */
const LATE_DELETE_MS = 120_000;

/** There is such a Job: removes what is stored for it and was carried out, or will not be. */
async function tidyUp(job: Job, context: RestartContext<Job>): Promise<UpkeepOutcome> {
  const { reconcile, nowMs } = context;
  const { namespace, name } = job.metadata;
  let waitMs: number | undefined;
  for (const stored of storedFor(`${namespace}/${name}` as ObjectKey, reconcile)) {
    const live = await reconcile.client.find(jobs, targetOf(job));
    // The cache is late, and the stored Job is due: its absence, or the end of the old one, brings the key again.
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return {};
    const leftMs = storedAtMs(stored.revision) + LATE_DELETE_MS - nowMs;
    // A delete names the version of an active Job: it cannot hit one that has finished.
    const isDecided = live.metadata.uid !== stored.uid || isFinished(live);
    if (isDecided || leftMs <= 0) {
      await removeStored(reconcile.client, stored.revision);
    } else waitMs = Math.min(waitMs ?? leftMs, leftMs);
  }
  return waitMs === undefined ? {} : { waitMs };
}
