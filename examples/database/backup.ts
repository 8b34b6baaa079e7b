/**
 * The plan that backs up at the times of a schedule. The last time that was acted upon is in the status,
 * and the name of a Job has its time: one is never taken twice, and of those that were missed the last.
 */
import { rfc3339 } from 'chancery';
import { type Job, jobs } from 'chancery/kubernetes';
import { Calendar } from './calendar.ts';
import { ensureJob, isComplete, isFailed, isUnfinished, jobsOf, progressOf } from './jobs.ts';
import { COMPLETE, inProgress, type Phase, type Progress, runPlan } from './plan.ts';
import type { BackupState, PlanResult } from './report.ts';
import type { SampleDb } from './resources/sample-db.ts';
import type { Scene } from './scene.ts';

type Backup = NonNullable<SampleDb['spec']['backup']>;

/** A clock that is set moves what is waited for: the time is looked at this often at least. */
const LOOK_AGAIN_MS = 3_600_000;

/** @throws Error for a schedule or a time zone that is none. */
export function calendarOf({ schedule, timeZone }: Backup): Calendar {
  return new Calendar(schedule, timeZone);
}

/** @param obstacle - why none may begin now; one that is due then waits. */
export async function runBackups(scene: Scene, obstacle: string | undefined): Promise<PlanResult> {
  const { db, context } = scene;
  const { backup } = db.spec;
  if (backup === undefined) return {};
  const calendar = calendarOf(backup);
  const now = context.clock.now();
  let state = stateOf(scene, backup, now);
  const due = calendar.lastWithin(Date.parse(state.since), now);
  const upcoming = calendar.nextAfter(now);
  const take = async (): Promise<Progress> => {
    if (due === undefined) return latest(scene);
    const task = taskOf(scene, backup, due);
    const unfinished = jobsOf(scene, 'backup').filter(isUnfinished);
    if (unfinished.some(({ metadata }) => metadata.name !== task.name)) return latest(scene);
    if (unfinished.length === 0 && obstacle !== undefined) return inProgress(obstacle);
    const job = await ensureJob(scene, task);
    state = { ...state, since: rfc3339(due) };
    return progressOfBackup(job);
  };
  const phases: readonly Phase[] = [
    { name: 'retention', steps: [{ name: 'remove', run: () => removeOld(scene, backup) }] },
    { name: 'backup', steps: [{ name: 'take', run: take }] },
  ];
  const hasBegun = due !== undefined || jobsOf(scene, 'backup').length > 0;
  const run = hasBegun ? await runPlan(phases, context.signal) : undefined;
  const wakeInMs = Math.min((upcoming ?? Number.POSITIVE_INFINITY) - now, LOOK_AGAIN_MS);
  const { schedule, since } = state;
  const next = upcoming === undefined ? {} : { next: rfc3339(upcoming) };
  return { run, backup: { schedule, since, ...next }, wakeInMs };
}

/**
 * A schedule that is new begins now: what it would have meant yesterday was not asked for. So does one
 * that has been acted upon in the future: a clock was wrong, and nothing would be due until then.
 */
function stateOf({ db }: Scene, { schedule, timeZone }: Backup, now: number): BackupState {
  const stated = `${schedule} ${timeZone}`;
  const known = db.status?.backup;
  const isKnown = known?.schedule === stated && Date.parse(known.since) <= now;
  return isKnown ? known : { schedule: stated, since: rfc3339(now) };
}

function taskOf({ name }: Scene, backup: Backup, due: number) {
  const time = rfc3339(due)
    .replaceAll(/[^0-9]/g, '')
    .slice(0, 12);
  const job = `${name}-backup-${time}`;
  const env = { BACKUP_NAME: job, BACKUP_RETENTION: String(backup.retention) };
  const { storage } = backup;
  return { name: job, role: 'backup' as const, program: backup, env, storage };
}

function latest(scene: Scene): Progress {
  const job = jobsOf(scene, 'backup').at(-1); // the names are in the order of their times
  return job === undefined ? COMPLETE : progressOfBackup(job);
}

function progressOfBackup(job: Job): Progress {
  if (!isFailed(job)) return progressOf(job);
  const message = `Job ${job.metadata.name} has failed: the next one comes at its time`;
  return { status: 'FATAL_ERROR', reason: 'BackupFailed', message };
}

/** A good backup goes for a newer good one alone. What has failed goes when one has succeeded since. */
async function removeOld(scene: Scene, { retention }: Backup): Promise<Progress> {
  const backups = jobsOf(scene, 'backup');
  const good = backups.filter(isComplete);
  const lastGood = good.at(-1)?.metadata.name ?? '';
  const failed = backups.filter(isFailed);
  const outdated = failed.filter(
    ({ metadata }, at) => metadata.name < lastGood || at < failed.length - retention,
  );
  for (const { metadata } of [...good.slice(0, -retention), ...outdated]) {
    await scene.context.deleteOwned(jobs, metadata);
  }
  return COMPLETE;
}
