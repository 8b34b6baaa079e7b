import { isAlreadyExists, isControlledBy, isNotFound, type ReconcileContext } from 'chancery';
import { type CronJob, type Job, jobs } from 'chancery/kubernetes';
import { BACKUP, SCHEDULE } from '../labels.ts';
import { GROUP, instances, type Schedule } from '../resources.ts';

/**
 * Makes a MySQLBackupInstance of what has rung. Of several, which rang while nobody was there, one is
 * made, of the last. Each Job is marked after that, so that a backup that somebody deletes stays deleted;
 * after a crash in between the same one is made again, which is to say: it is there.
 *
 * @returns the name of the backup; undefined when nothing has rung.
 */
export async function takeTicks(
  schedule: Schedule,
  cronJob: CronJob,
  { client, store }: Pick<ReconcileContext, 'client' | 'store'>,
): Promise<string | undefined> {
  const { name, namespace = '' } = schedule.metadata;
  const rung = store(jobs)
    .list({ namespace, selector: `${SCHEDULE}=${name}` })
    .filter((job) => isControlledBy(job, cronJob))
    .filter((job) => job.metadata.annotations?.[BACKUP] === undefined)
    .toSorted((a, b) => timeOf(a) - timeOf(b));
  const last = rung.at(-1);
  if (last === undefined) return undefined;
  const backup = await makeInstance(schedule, timeOf(last), client);
  for (const job of rung) {
    const annotations = { [BACKUP]: job === last ? backup : 'none' };
    const body = { metadata: { uid: job.metadata.uid, annotations } };
    try {
      await client.patch(jobs, job.metadata, { type: 'merge', body });
    } catch (error) {
      if (!isNotFound(error)) throw error; // the history of a CronJob has an end
    }
  }
  return backup;
}

async function makeInstance(
  { metadata: { name, namespace }, spec: { cluster } }: Schedule,
  timeMs: number,
  client: ReconcileContext['client'],
): Promise<string> {
  const backup = backupName(name, timeMs);
  try {
    await client.create(instances, {
      apiVersion: `${GROUP}/v1`,
      kind: 'MySQLBackupInstance',
      metadata: {
        name: backup,
        ...(namespace !== undefined && { namespace }),
        labels: { schedule: name, cluster },
      },
      spec: { schedule: name, cluster },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return backup;
}

/** `my-backup-2017-12-14-01-22-00`, in UTC. */
export function backupName(schedule: string, timeMs: number): string {
  return `${schedule}-${new Date(timeMs).toISOString().slice(0, 19).replace(/[T:]/g, '-')}`;
}

/** When it was to run; when it was made, for one that somebody made by hand. */
function timeOf({ metadata: { annotations, creationTimestamp = '' } }: Job): number {
  const scheduled = Date.parse(
    annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'] ?? '',
  );
  return Number.isNaN(scheduled) ? Date.parse(creationTimestamp) : scheduled;
}
