import { controller, enqueueMapped, objectKey, type ReconcileContext, source } from 'chancery';
import { cronJobs, jobs, persistentVolumeClaims } from 'chancery/kubernetes';
import { SCHEDULE } from '../labels.ts';
import { enqueueNaming, named } from '../naming.ts';
import { refused, report, type Verdict, verdictOf } from '../report.ts';
import { clusters, instances, type Schedule, schedules } from '../resources.ts';
import { claims, ensureClaim } from './claim.ts';
import { cronJobOf } from './cron-job.ts';
import { takeTicks } from './ticks.ts';

const backingUp = source(schedules, {
  indexes: { cluster: ({ metadata, spec }) => named(metadata, spec.cluster) },
});

/** A MySQLBackupSchedule becomes a CronJob, a claim, and from time to time a MySQLBackupInstance. */
export const scheduleController = controller({
  name: 'mysql-backup-schedules',
  for: backingUp,
  owns: [cronJobs],
  watches: [
    enqueueNaming(clusters, backingUp, 'cluster'),
    enqueueMapped(claims, ({ metadata }) => [metadata]),
    enqueueMapped(jobs, ({ metadata }) => named(metadata, metadata.labels?.[SCHEDULE])),
  ],
  permissions: [
    { resource: persistentVolumeClaims, verbs: ['create'] },
    { resource: instances, verbs: ['create'] },
    { resource: jobs, verbs: ['patch'] },
  ],
  async reconcile(schedule, context) {
    if (schedule.metadata.deletionTimestamp !== undefined) {
      return;
    }
    const { lastBackup = schedule.status?.lastBackup, ...verdict }: Outcome = await verdictOf(
      apply(schedule, context),
    );
    await report(verdict, { ...(lastBackup !== undefined && { lastBackup }) }, context);
    return verdict.next;
  },
});

type Outcome = Verdict & { readonly lastBackup?: string };

/** The CronJob first: what may be refused comes before what would be left behind. */
async function apply(schedule: Schedule, context: ReconcileContext<Schedule>): Promise<Outcome> {
  const { cluster: name, storage } = schedule.spec;
  const cluster = context.store(clusters).get(objectKey(schedule.metadata.namespace, name));
  if (cluster === undefined) return refused('ClusterNotFound', `there is no MySQLCluster ${name}`);
  const cronJob = await context.applyOwned(cronJobs, cronJobOf(schedule));
  await ensureClaim(schedule, storage ?? cluster.spec.storage, context);
  const made = await takeTicks(schedule, cronJob, context);
  const lastBackup = made ?? schedule.status?.lastBackup;
  const scheduled = { status: 'True', reason: 'Scheduled', event: 'Normal' } as const;
  return lastBackup === undefined
    ? { ...scheduled, message: 'backups are made at the times of the schedule' }
    : { ...scheduled, message: `the last backup is ${lastBackup}`, lastBackup };
}
