import {
  AWAIT_CHANGE,
  configMaps,
  controller,
  enqueueMapped,
  keyOf,
  READY,
  type ReconcileContext,
  type Result,
  type StatefulSet,
  services,
  source,
  statefulSets,
} from 'chancery';
import { announce, LOOK_AGAIN, refusalOf, type Verdict } from '../report.ts';
import { type Cluster, clusters, instances } from '../resources.ts';
import { configOf } from './config.ts';
import { type Restore, restoreOf, restores } from './restore.ts';
import { servicesOf } from './services.ts';
import { statefulSetOf } from './stateful-set.ts';

/** A MySQLCluster becomes a ConfigMap, two Services and a StatefulSet, which go with it. */
export const clusterController = controller({
  name: 'mysql-clusters',
  for: clusters,
  owns: [configMaps, services, statefulSets],
  watches: [enqueueMapped(source(instances), (instance) => restores.to(keyOf(instance)))],
  async reconcile(key, cluster, context) {
    if (cluster === undefined) restores.note(key, undefined);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) {
      return AWAIT_CHANGE;
    }
    const restore = restoreOf(key, cluster, context);
    if (restore !== undefined && 'reason' in restore) return failed(cluster, restore, context);
    try {
      return await updated(cluster, await apply(cluster, restore, context), context);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      await failed(cluster, refusal, context);
      return LOOK_AGAIN;
    }
  },
});

type Context = ReconcileContext<Cluster>;

async function apply(
  cluster: Cluster,
  restore: Restore | undefined,
  { applyOwned }: Context,
): Promise<StatefulSet> {
  await applyOwned(configMaps, configOf(cluster));
  for (const service of servicesOf(cluster)) await applyOwned(services, service);
  return applyOwned(statefulSets, statefulSetOf(cluster, restore));
}

async function updated(
  cluster: Cluster,
  { metadata, status }: StatefulSet,
  context: Context,
): Promise<Result> {
  const { replicas } = cluster.spec;
  const readyReplicas = status?.readyReplicas ?? 0;
  const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 1);
  const isReady = isCurrent && readyReplicas >= replicas;
  const verdict: Verdict = {
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'ReplicasReady' : 'WaitingForReplicas',
    message: `${readyReplicas} of ${replicas} replicas are ready`,
    ...(isReady && { event: 'Normal' }),
  };
  await report(cluster, 'Successful update', readyReplicas, verdict, context);
  return AWAIT_CHANGE;
}

async function failed(cluster: Cluster, verdict: Verdict, context: Context): Promise<Result> {
  const { readyReplicas = 0 } = cluster.status ?? {};
  await report(cluster, 'Failed update', readyReplicas, verdict, context);
  return AWAIT_CHANGE;
}

async function report(
  cluster: Cluster,
  state: string,
  readyReplicas: number,
  verdict: Verdict,
  context: Context,
): Promise<void> {
  const { status, reason, message } = verdict;
  announce(context, cluster.status?.conditions, verdict);
  const conditions = [{ type: READY, status, reason, message }];
  await context.setStatus({ state, message, readyReplicas, conditions });
}
