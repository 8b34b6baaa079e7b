import {
  type Job,
  jobs,
  objectKey,
  persistentVolumeClaims,
  READY,
  type ReconcileContext,
  source,
  type Unfinished,
} from 'chancery';
import { DELETES, DELETES_UID, KEEP_DATA, MANAGED_SELECTOR } from '../labels.ts';
import { announce, type Verdict } from '../report.ts';
import type { Instance } from '../resources.ts';
import { deleteJobOf, endOf } from './jobs.ts';

/** The Jobs that take backups, and those that remove their data. */
export const ours = source(jobs, { labelSelector: MANAGED_SELECTOR });

/** Every step ends in an event; this is for one that does not come. */
const WAIT: Unfinished = { requeueAfterMs: 60_000 };

type Context = ReconcileContext<Instance>;

/** Removes the data of a backup before the backup goes: see the steps below. */
export async function finalize(
  instance: Instance,
  context: Context,
): Promise<Unfinished | undefined> {
  const { name, namespace, uid, annotations } = instance.metadata;
  const { client, store } = context;
  if (annotations?.[KEEP_DATA] === 'true') return undefined;
  // Whoever still writes comes first: it would go on behind the removal.
  if (await stop(`${name}-create`, instance, context)) return WAIT;
  // A quorum read: of what is only absent from a cache the data may be there.
  const claim = { name: instance.spec.schedule, namespace };
  if ((await client.find(persistentVolumeClaims, claim)) === undefined) return undefined;
  const job = store(ours).get(objectKey(namespace, `${name}-delete`));
  if (job === undefined) return begin(instance, context);
  // Of an earlier backup of this name.
  if (job.metadata.labels?.[DELETES_UID] !== uid) return remove(job, client);
  const end = endOf(job);
  if (end === 'Complete') {
    await remove(job, client);
    return undefined;
  }
  if (end === 'Failed') {
    const message = `Job ${name}-delete has failed: delete it to try again, or annotate the backup with ${KEEP_DATA}=true to leave the data`;
    await report(instance, 'DeletionFailed', message, context);
  }
  return WAIT;
}

/** True while the Job that takes the backup, or a Pod of it, is still there. */
async function stop(
  job: string,
  { metadata: { namespace, uid } }: Instance,
  { client }: Context,
): Promise<boolean> {
  const found = await client.find(jobs, { name: job, namespace });
  const isOurs = found?.metadata.ownerReferences?.some((owner) => owner.uid === uid);
  if (found === undefined || isOurs !== true) return false;
  if (found.metadata.deletionTimestamp === undefined) {
    // In the foreground: the Job stays until its Pods are gone.
    const preconditions = { uid: found.metadata.uid };
    await client.delete(jobs, found.metadata, { preconditions, propagationPolicy: 'Foreground' });
  }
  return true;
}

async function begin(instance: Instance, context: Context): Promise<Unfinished> {
  const { name, namespace } = instance.metadata;
  const { client } = context;
  const live = await client.find(jobs, { name: `${name}-delete`, namespace });
  if (live === undefined) await client.create(jobs, deleteJobOf(instance));
  else if (live.metadata.labels?.[DELETES] !== name) {
    const message = `there is a Job ${name}-delete, which is not ours: the data cannot be removed`;
    await report(instance, 'NotOwned', message, context);
  }
  return WAIT;
}

async function remove({ metadata }: Job, client: Context['client']): Promise<Unfinished> {
  const preconditions = metadata.uid === undefined ? {} : { uid: metadata.uid };
  await client.delete(jobs, metadata, { preconditions, propagationPolicy: 'Background' });
  return WAIT;
}

async function report(
  { status }: Instance,
  reason: string,
  message: string,
  context: Context,
): Promise<void> {
  const verdict: Verdict = { status: 'False', reason, message, event: 'Warning' };
  announce(context, status?.conditions, verdict);
  const { phase = 'Scheduled' } = status ?? {};
  await context.setStatus({
    phase,
    conditions: [{ type: READY, status: 'False', reason, message }],
  });
}
