import {
  controller,
  enqueueMapped,
  isControlledBy,
  objectKey,
  type ReconcileContext,
  source,
} from 'chancery';
import { type Job, jobs, persistentVolumeClaims } from 'chancery/kubernetes';
import { enqueueNaming, named } from '../naming.ts';
import { refused, report, type Verdict, verdictOf } from '../report.ts';
import { clusters, GROUP, type Instance, instances } from '../resources.ts';
import { claims, requireScheduled } from '../schedule/claim.ts';
import { finalize } from './finalize.ts';
import { createJobOf, endOf, removedBy } from './jobs.ts';

const backups = source(instances, {
  indexes: {
    cluster: ({ metadata, spec }) => named(metadata, spec.cluster),
    claim: ({ metadata, spec }) => named(metadata, spec.schedule),
  },
});

/** A MySQLBackupInstance is taken by a Job, once, and its data are removed by another before it goes. */
export const instanceController = controller({
  name: 'mysql-backup-instances',
  for: backups,
  owns: [jobs],
  watches: [
    enqueueNaming(clusters, backups, 'cluster'),
    enqueueNaming(claims, backups, 'claim'),
    enqueueMapped(jobs, ({ metadata }) => named(metadata, removedBy(metadata.name))),
  ],
  permissions: [
    { resource: jobs, verbs: ['get', 'create', 'delete'] },
    { resource: persistentVolumeClaims, verbs: ['get'] },
  ],
  finalizer: { name: `${GROUP}/backup-data`, finalize },
  async reconcile(instance, context) {
    if (isOver(instance)) return;
    const { phase = 'Scheduled', ...verdict }: Outcome = await verdictOf(take(instance, context));
    await report(verdict, { phase }, context);
    return verdict.next;
  },
});

type Phase = NonNullable<Instance['status']>['phase'];
type Outcome = Verdict & { readonly phase?: Phase };

/** What has ended stays ended, also when its Job is gone. */
function isOver({ status }: Instance): boolean {
  return status?.phase === 'Completed' || status?.phase === 'Failed';
}

async function take(
  instance: Instance,
  { store, applyOwned }: ReconcileContext<Instance>,
): Promise<Outcome> {
  const { name, namespace } = instance.metadata;
  const { cluster, schedule } = instance.spec;
  // A Job never changes: what it was made from may.
  const made = store(jobs).get(objectKey(namespace, `${name}-create`));
  if (made !== undefined && isControlledBy(made, instance)) return progressOf(made);
  const of = store(clusters).get(objectKey(namespace, cluster));
  if (of === undefined) return refused('ClusterNotFound', `there is no MySQLCluster ${cluster}`);
  const claim = store(claims).get(objectKey(namespace, schedule));
  if (claim === undefined) {
    return refused('ClaimNotFound', `there is no volume of a MySQLBackupSchedule ${schedule}`);
  }
  requireScheduled(claim);
  return progressOf(await applyOwned(jobs, createJobOf(instance, of)));
}

function progressOf(job: Job): Outcome {
  const { name } = job.metadata;
  switch (endOf(job)) {
    case 'Complete':
      return { ...progress('Completed', 'the backup is there'), status: 'True', event: 'Normal' };
    case 'Failed':
      return { ...progress('Failed', `Job ${name} has failed`), event: 'Warning' };
    default: {
      const isStarted = (job.status?.active ?? 0) > 0;
      return progress(isStarted ? 'Started' : 'Scheduled', `Job ${name} takes the backup`);
    }
  }
}

function progress(phase: Phase, message: string): Outcome {
  return { phase, status: 'False', reason: phase, message };
}
