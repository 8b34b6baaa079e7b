import { isDeepStrictEqual } from 'node:util';
import {
  enqueueMapped,
  type ObjectKey,
  type ReconcileContext,
  source,
  type Target,
} from 'chancery';
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from 'chancery/kubernetes';

/** The Deployment that an autoscaler scales, if it is one: the TDSet has the same name. */
function deploymentOf({ metadata, spec }: HorizontalPodAutoscaler): readonly Target[] {
  const { apiVersion = 'apps/v1', kind, name } = spec.scaleTargetRef;
  const isDeployment = kind === 'Deployment' && apiVersion.startsWith('apps/');
  return isDeployment ? [{ namespace: metadata.namespace, name }] : [];
}

const autoscalers = source(horizontalPodAutoscalers, { indexes: { deployment: deploymentOf } });

/** An autoscaler that comes, goes or is changed; what it measures every 15 s is none of our business. */
export const autoscalerChanges = enqueueMapped(autoscalers, deploymentOf, {
  predicate: (event) =>
    event.type !== 'update' || !isDeepStrictEqual(event.old.object.spec, event.object.spec),
});

/** The autoscaler of the Deployment `key`, if there is one. */
export function autoscalerOf(
  key: ObjectKey,
  { store }: Pick<ReconcileContext, 'store'>,
): HorizontalPodAutoscaler | undefined {
  return store(autoscalers).byIndex('deployment', key)[0];
}

/**
 * Lets `autoscaler` have no fewer than `replicas`, as far as its own limit allows: the schedule is then the
 * floor, and the load decides above it. Resolves to the floor that was written, or undefined where it is so already.
 */
export async function adjust(
  autoscaler: HorizontalPodAutoscaler,
  replicas: number,
  { client }: Pick<ReconcileContext, 'client'>,
): Promise<number | undefined> {
  const { metadata, spec } = autoscaler;
  // An autoscaler with a floor of 0 is refused by most clusters.
  const minReplicas = Math.max(1, Math.min(replicas, spec.maxReplicas));
  if ((spec.minReplicas ?? 1) === minReplicas) return undefined;
  const body = { metadata: { uid: metadata.uid }, spec: { minReplicas } }; // of this one only
  await client.patch(horizontalPodAutoscalers, metadata, { type: 'merge', body });
  return minReplicas;
}
