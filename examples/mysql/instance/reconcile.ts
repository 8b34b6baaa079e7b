import {
  AWAIT_CHANGE,
  controller,
  controllerOf,
  enqueueMapped,
  type Job,
  jobs,
  keyOf,
  objectKey,
  persistentVolumeClaims,
  READY,
  type ReconcileContext,
  source,
} from 'chancery';
import { DELETES } from '../labels.ts';
import { References } from '../references.ts';
import { announce, LOOK_AGAIN, refusalOf, type Verdict } from '../report.ts';
import { clusters, GROUP, type Instance, instances, schedules } from '../resources.ts';
import { finalize, ours } from './finalize.ts';
import { createJobOf, endOf } from './jobs.ts';

/** Backups, by the cluster and by the schedule that they are of. */
const ofClusters = new References();
const ofSchedules = new References();

/** A MySQLBackupInstance is taken by a Job, once, and its data are removed by another before it goes. */
export const instanceController = controller({
  name: 'mysql-backup-instances',
  for: instances,
  owns: [ours],
  watches: [
    enqueueMapped(source(clusters), (cluster) => ofClusters.to(keyOf(cluster))),
    enqueueMapped(source(schedules), (schedule) => ofSchedules.to(keyOf(schedule))),
    // Those that remove data have no owner.
    enqueueMapped(ours, ({ metadata: { namespace, labels } }) =>
      labels?.[DELETES] === undefined ? [] : [objectKey(namespace, labels[DELETES])],
    ),
  ],
  permissions: [
    { resource: jobs, verbs: ['get', 'create', 'delete'] },
    { resource: persistentVolumeClaims, verbs: ['get'] },
  ],
  finalizer: { name: `${GROUP}/backup-data`, finalize },
  async reconcile(key, instance, context) {
    if (instance === undefined || isOver(instance)) {
      ofClusters.note(key, undefined);
      ofSchedules.note(key, undefined);
      return AWAIT_CHANGE;
    }
    const { namespace } = instance.metadata;
    ofClusters.note(key, objectKey(namespace, instance.spec.cluster));
    ofSchedules.note(key, objectKey(namespace, instance.spec.schedule));
    try {
      await report(instance, await take(instance, context), context);
      return AWAIT_CHANGE;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      await report(instance, { ...refusal, phase: 'Scheduled' }, context);
      return LOOK_AGAIN;
    }
  },
});

type Phase = NonNullable<Instance['status']>['phase'];
type Context = ReconcileContext<Instance>;
type Progress = Verdict & { readonly phase: Phase };

/** What has ended stays ended, also when its Job is gone. */
function isOver({ status }: Instance): boolean {
  return status?.phase === 'Completed' || status?.phase === 'Failed';
}

async function take(instance: Instance, { store, applyOwned }: Context): Promise<Progress> {
  const { name, namespace, uid } = instance.metadata;
  const { cluster, schedule } = instance.spec;
  // A Job never changes: what it was made from may.
  const made = store(ours).get(objectKey(namespace, `${name}-create`));
  if (made !== undefined && controllerOf(made)?.uid === uid) return progressOf(made);
  const source = store(clusters).get(objectKey(namespace, cluster));
  if (source === undefined) {
    return missing('ClusterNotFound', `there is no MySQLCluster ${cluster}`);
  }
  if (store(schedules).get(objectKey(namespace, schedule)) === undefined) {
    return missing('ScheduleNotFound', `there is no MySQLBackupSchedule ${schedule}`);
  }
  return progressOf(await applyOwned(jobs, createJobOf(instance, source)));
}

function missing(reason: string, message: string): Progress {
  return { phase: 'Scheduled', status: 'False', reason, message, event: 'Warning' };
}

function progressOf(job: Job): Progress {
  const { name } = job.metadata;
  switch (endOf(job)) {
    case 'Complete':
      return progress('Completed', 'True', 'the backup is there', 'Normal');
    case 'Failed':
      return progress('Failed', 'False', `Job ${name} has failed`, 'Warning');
    default: {
      const isStarted = (job.status?.active ?? 0) > 0;
      return progress(isStarted ? 'Started' : 'Scheduled', 'False', `Job ${name} takes the backup`);
    }
  }
}

function progress(
  phase: Phase,
  status: Verdict['status'],
  message: string,
  event?: Verdict['event'],
): Progress {
  return { phase, status, reason: phase, message, ...(event && { event }) };
}

async function report(
  instance: Instance,
  { phase, ...verdict }: Progress,
  context: Context,
): Promise<void> {
  const { status, reason, message } = verdict;
  announce(context, instance.status?.conditions, verdict);
  await context.setStatus({ phase, conditions: [{ type: READY, status, reason, message }] });
}
