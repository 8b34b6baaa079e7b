import { isControlledBy, objectKey, type ReconcileContext, type Unfinished } from 'chancery';
import { type Job, jobs, persistentVolumeClaims } from 'chancery/kubernetes';
import { KEEP_DATA, REMOVES, SCHEDULE } from '../labels.ts';
import { refused, report } from '../report.ts';
import type { Instance } from '../resources.ts';
import { deleteJobOf, endOf } from './jobs.ts';

/** Every step ends in an event; this is for one that does not come. */
const WAIT: Unfinished = { requeueAfterMs: 60_000 };

type Context = ReconcileContext<Instance>;

/** Removes the data of a backup before the backup goes, one step at a time. */
export async function finalize(
  instance: Instance,
  context: Context,
): Promise<Unfinished | undefined> {
  const { name, namespace, uid } = instance.metadata;
  const { client, store } = context;
  // Whoever still writes comes first: it would go on behind the removal.
  if (await isStillTaken(instance, context)) return WAIT;
  const job = store(jobs).get(objectKey(namespace, `${name}-delete`));
  const isRemoval = job?.metadata.labels?.[REMOVES] !== undefined;
  if (!(await hasData(instance, context))) {
    if (isRemoval) await remove(job, 'Foreground', client);
    return isRemoval ? WAIT : undefined;
  }
  if (job === undefined) {
    await client.create(jobs, deleteJobOf(instance));
  } else if (!isRemoval) {
    const message = `there is a Job ${name}-delete, which is not ours: the data cannot be removed`;
    await tell('NotOwned', message, instance, context);
  } else if (job.metadata.labels?.[REMOVES] !== uid) {
    await remove(job, 'Foreground', client); // of an earlier backup of this name
  } else if (endOf(job) === 'Complete') {
    await remove(job, 'Background', client);
    return undefined;
  } else if (endOf(job) === 'Failed') {
    const message = `Job ${name}-delete has failed: delete it to try again, or annotate the backup with ${KEEP_DATA}=true to leave the data`;
    await tell('DeletionFailed', message, instance, context);
  }
  return WAIT;
}

/** Whether the Job that takes the backup, or a Pod of it, is still there: it is told to go. */
async function isStillTaken(
  instance: Instance,
  { client, deleteOwned }: Context,
): Promise<boolean> {
  const { name, namespace } = instance.metadata;
  const job = `${name}-create`;
  const found = await client.find(jobs, { name: job, namespace });
  if (found === undefined || !isControlledBy(found, instance)) return false;
  // In the foreground: the Job stays until its Pods are gone.
  await deleteOwned(jobs, { name: job }, { propagationPolicy: 'Foreground' });
  return true;
}

/** Whether there is something to remove: not where nobody is to, nor on a volume of somebody else. */
async function hasData(
  { metadata: { namespace, annotations }, spec: { schedule } }: Instance,
  { client }: Context,
): Promise<boolean> {
  if (annotations?.[KEEP_DATA] === 'true') return false;
  // A quorum read: what is only absent from a cache may have the data.
  const claim = await client.find(persistentVolumeClaims, { name: schedule, namespace });
  return claim?.metadata.labels?.[SCHEDULE] === schedule;
}

async function remove(
  { metadata }: Job,
  propagationPolicy: 'Foreground' | 'Background',
  client: Context['client'],
): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return; // it is going
  const preconditions = metadata.uid === undefined ? {} : { uid: metadata.uid };
  await client.delete(jobs, metadata, { preconditions, propagationPolicy });
}

async function tell(
  reason: string,
  message: string,
  { status }: Instance,
  context: Context,
): Promise<void> {
  await report(refused(reason, message), { phase: status?.phase ?? 'Scheduled' }, context);
}
