import {
  AWAIT_CHANGE,
  controller,
  cronJobs,
  enqueueMapped,
  jobs,
  keyOf,
  objectKey,
  persistentVolumeClaims,
  READY,
  type ReconcileContext,
  source,
} from 'chancery';
import { SCHEDULE } from '../labels.ts';
import { References } from '../references.ts';
import { announce, LOOK_AGAIN, refusalOf, type Verdict } from '../report.ts';
import { clusters, instances, type Schedule, schedules } from '../resources.ts';
import { claims, ensureClaim } from './claim.ts';
import { cronJobOf } from './cron-job.ts';
import { takeTicks, ticks } from './ticks.ts';

/** Schedules, by the cluster that they back up. */
const backedUp = new References();

/** A MySQLBackupSchedule becomes a CronJob, a claim, and from time to time a MySQLBackupInstance. */
export const scheduleController = controller({
  name: 'mysql-backup-schedules',
  for: schedules,
  owns: [cronJobs],
  watches: [
    enqueueMapped(source(clusters), (cluster) => backedUp.to(keyOf(cluster))),
    enqueueMapped(claims, ({ metadata }) => [objectKey(metadata.namespace, metadata.name)]),
    enqueueMapped(ticks, ({ metadata: { namespace, labels } }) => [
      objectKey(namespace, labels?.[SCHEDULE] ?? ''),
    ]),
  ],
  permissions: [
    { resource: persistentVolumeClaims, verbs: ['get', 'create'] },
    { resource: instances, verbs: ['create'] },
    { resource: jobs, verbs: ['patch'] },
  ],
  async reconcile(key, schedule, context) {
    if (schedule === undefined) backedUp.note(key, undefined);
    if (schedule === undefined || schedule.metadata.deletionTimestamp !== undefined) {
      return AWAIT_CHANGE;
    }
    const { namespace } = schedule.metadata;
    const { cluster: name } = schedule.spec;
    backedUp.note(key, objectKey(namespace, name));
    const cluster = context.store(clusters).get(objectKey(namespace, name));
    if (cluster === undefined) {
      await report(schedule, noCluster(name), undefined, context);
      return AWAIT_CHANGE;
    }
    try {
      const storage = String(schedule.spec.storage ?? cluster.spec.storage);
      await report(schedule, SCHEDULED, await apply(schedule, storage, context), context);
      return AWAIT_CHANGE;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      await report(schedule, refusal, undefined, context);
      return LOOK_AGAIN;
    }
  },
});

type Context = ReconcileContext<Schedule>;

const SCHEDULED: Verdict = {
  status: 'True',
  reason: 'Scheduled',
  message: 'backups are made at the times of the schedule',
  event: 'Normal',
};

function noCluster(name: string): Verdict {
  const message = `there is no MySQLCluster ${name}`;
  return { status: 'False', reason: 'ClusterNotFound', message, event: 'Warning' };
}

/** The CronJob first: what may be refused comes before what would be left behind. */
async function apply(
  schedule: Schedule,
  storage: string,
  context: Context,
): Promise<string | undefined> {
  const cronJob = await context.applyOwned(cronJobs, cronJobOf(schedule));
  await ensureClaim(schedule, storage, context);
  return takeTicks(schedule, cronJob, context);
}

async function report(
  schedule: Schedule,
  verdict: Verdict,
  newBackup: string | undefined,
  context: Context,
): Promise<void> {
  const { status, reason, message } = verdict;
  const lastBackup = newBackup ?? schedule.status?.lastBackup;
  announce(context, schedule.status?.conditions, verdict);
  await context.setStatus({
    ...(lastBackup !== undefined && { lastBackup }),
    conditions: [{ type: READY, status, reason, message }],
  });
}
