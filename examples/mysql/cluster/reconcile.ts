import { controller, type ReconcileContext, source } from 'chancery';
import { configMaps, type StatefulSet, services, statefulSets } from 'chancery/kubernetes';
import { enqueueNaming, named } from '../naming.ts';
import { report, type Verdict, verdictOf } from '../report.ts';
import { type Cluster, clusters, instances } from '../resources.ts';
import { configOf } from './config.ts';
import { restoreOf } from './restore.ts';
import { servicesOf } from './services.ts';
import { madeFor, statefulSetOf } from './stateful-set.ts';

const restored = source(clusters, {
  indexes: { backup: ({ metadata, spec }) => named(metadata, spec.fromBackup) },
});

/** A MySQLCluster becomes a ConfigMap, two Services and a StatefulSet, which go with it. */
export const clusterController = controller({
  name: 'mysql-clusters',
  for: restored,
  owns: [configMaps, services, statefulSets],
  watches: [enqueueNaming(instances, restored, 'backup')],
  async reconcile(cluster, context) {
    if (cluster.metadata.deletionTimestamp !== undefined) {
      return;
    }
    const verdict = await verdictOf(update(cluster, context));
    const state = verdict.event === 'Warning' ? 'Failed update' : 'Successful update';
    const { readyReplicas = 0 } = madeFor(cluster, context)?.status ?? {};
    await report(verdict, { state, message: verdict.message, readyReplicas }, context);
    return verdict.next;
  },
});

async function update(
  cluster: Cluster,
  context: Pick<ReconcileContext, 'applyOwned' | 'store'>,
): Promise<Verdict> {
  const { applyOwned } = context;
  const restore = restoreOf(cluster, context);
  if (restore !== undefined && 'reason' in restore) return restore;
  await applyOwned(configMaps, configOf(cluster));
  for (const service of servicesOf(cluster)) await applyOwned(services, service);
  return readiness(cluster, await applyOwned(statefulSets, statefulSetOf(cluster, restore)));
}

function readiness({ spec }: Cluster, { metadata, status }: StatefulSet): Verdict {
  const { replicas } = spec;
  const { readyReplicas = 0, observedGeneration = 0 } = status ?? {};
  const message = `${readyReplicas} of ${replicas} replicas are ready`;
  if (observedGeneration < (metadata.generation ?? 1) || readyReplicas < replicas) {
    return { status: 'False', reason: 'WaitingForReplicas', message };
  }
  return { status: 'True', reason: 'ReplicasReady', message, event: 'Normal' };
}
