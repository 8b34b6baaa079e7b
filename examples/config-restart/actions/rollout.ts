import { childName, type ReconcileContext, rfc3339 } from 'chancery';
import type { RollingOwner } from '../plan.ts';

/** What `kubectl rollout restart` writes, and other tools read. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/**
 * The annotation of a Pod template that says which restart for `configMap` it carries. Its key has the form of
 * the value of a label behind the slash.
 */
export function stampKey(configMap: string): string {
  return `restart.chancery.dev/${childName(configMap, { form: 'label-value' })}`;
}

/**
 * Makes a workload replace its Pods in its own way: its template gets annotations.
 *
 * A template that carries `stamp` already is left as it is, so that one restart happens once however
 * often it is tried. False then.
 *
 * @throws ApiError 409 when the workload has changed since it was read: try again.
 */
export async function rollOut(
  { resource, workload }: RollingOwner,
  { configMap, stamp }: { configMap: string; stamp: string },
  { client, clock, log, signal }: Pick<ReconcileContext, 'client' | 'clock' | 'log' | 'signal'>,
): Promise<boolean> {
  const { name, namespace, uid, resourceVersion } = workload.metadata;
  const key = stampKey(configMap);
  if (workload.spec.template.metadata?.annotations?.[key] === stamp) return false;
  const annotations = { [RESTARTED_AT]: rfc3339(clock.now()), [key]: stamp };
  const body = {
    metadata: { uid, resourceVersion },
    spec: { template: { metadata: { annotations } } },
  };
  await client.patch(resource, { namespace, name }, { type: 'merge', body }, { signal });
  log.info({ kind: resource.kind, name }, 'workload restarted');
  return true;
}
