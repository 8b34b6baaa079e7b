/** What is taken away, one thing after the other: replicas, StatefulSet, volumes. */
import { isControlledBy } from 'chancery';
import { persistentVolumeClaims, statefulSets } from 'chancery/kubernetes';
import { COMPLETE, inProgress, type Progress } from './plan.ts';
import { type Scene, statefulSetOf } from './scene.ts';
import { claimsOf } from './snapshot.ts';

export async function scaleDown(scene: Scene): Promise<Progress> {
  const set = statefulSetOf(scene);
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return COMPLETE;
  const { context, namespace, name } = scene;
  if (set.spec.replicas !== 0) {
    const { uid } = set.metadata;
    const body = { metadata: { uid }, spec: { replicas: 0 } };
    await context.client.patch(statefulSets, { namespace, name }, { type: 'merge', body });
    return inProgress('the replicas stop');
  }
  const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
  const isCurrent = observedGeneration >= (set.metadata.generation ?? 0);
  return isCurrent && replicas === 0 ? COMPLETE : inProgress(`${replicas} replicas stop`);
}

export async function removeStatefulSet(scene: Scene): Promise<Progress> {
  const { db, context, namespace, name } = scene;
  await context.deleteOwned(statefulSets, { name });
  // The volumes are taken away because it is gone: the cache alone does not say that.
  const live = await context.client.find(statefulSets, { namespace, name });
  if (live === undefined || !isControlledBy(live, db)) return COMPLETE;
  return inProgress('the StatefulSet goes');
}

/** They are nobody's children: a template made them. */
export async function removeVolumes(scene: Scene): Promise<Progress> {
  const { context, namespace } = scene;
  const claims = claimsOf(scene);
  for (const { metadata } of claims) {
    const { name, uid = '', deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) continue;
    const options = { preconditions: { uid } };
    await context.client.delete(persistentVolumeClaims, { namespace, name }, options);
  }
  return claims.length === 0 ? COMPLETE : inProgress(`${claims.length} volume claims are left`);
}
