import { rfc3339 } from 'chancery/internal-objects';
import type { Cluster } from '../../cluster/cluster.ts';
import { invalid } from '../../failures/invalid.ts';
import { conflict } from '../../failures/object-failures.ts';
import { isObject, valueAt, withFields } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { WriteOptions } from '../../request/options.ts';
import { canonical } from '../canonical.ts';
import { requireStored, type Target } from '../target.ts';

const BINDING = { group: '', kind: 'Binding' };

/**
 * Assigns a Pod to a node, as a scheduler does.
 *
 * @returns the Pod; undefined if nothing was written.
 * @throws ApiError 422 for a Binding without a node, 409 for a Pod that has a node.
 */
export function bindPod(
  cluster: Cluster,
  pod: Target,
  binding: StoredObject,
  { dryRun }: WriteOptions,
): StoredObject | undefined {
  const node = valueAt(binding, ['target', 'name']);
  if (typeof node !== 'string' || node === '') {
    const problem = {
      field: 'target.name',
      reason: 'FieldValueRequired',
      message: 'Required value',
    } as const;
    throw invalid(BINDING, pod.name, [problem]);
  }
  const bound = assignPod(cluster, pod, node, { dryRun });
  return dryRun ? undefined : bound;
}

/** Writes the node and the condition `PodScheduled` at once. No field manager owns them. */
export function assignPod(
  cluster: Cluster,
  target: Target,
  nodeName: string,
  { dryRun }: Pick<WriteOptions, 'dryRun'>,
): StoredObject {
  const { served, name } = target;
  const pod = requireStored(cluster, target);
  const spec = isObject(pod.spec) ? pod.spec : {};
  if (pod.metadata.deletionTimestamp !== undefined) {
    const why = `pod ${name} is being deleted, cannot be assigned to a host`;
    throw conflict({ group: '', plural: 'pods/binding' }, name, why);
  }
  if (spec.nodeName) {
    const why = `pod ${name} is already assigned to node "${spec.nodeName}"`;
    throw conflict({ group: '', plural: 'pods/binding' }, name, why);
  }
  const status = scheduled(pod, rfc3339(cluster.clock.now()));
  const bound = canonical(served, withFields(pod, { spec: { ...spec, nodeName }, status }));
  return dryRun ? bound : cluster.storage.put(served.storedAs, bound);
}

function scheduled(pod: StoredObject, lastTransitionTime: string): object {
  const status = isObject(pod.status) ? pod.status : {};
  const others = Array.isArray(status.conditions)
    ? status.conditions.filter((condition) => condition?.type !== 'PodScheduled')
    : [];
  const condition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime,
  };
  // In Go's JSON, the phase comes first, and then the conditions.
  return { phase: status.phase, conditions: [...others, condition], ...withoutBoth(status) };
}

function withoutBoth(status: Readonly<Record<string, unknown>>): object {
  const { phase: _phase, conditions: _conditions, ...rest } = status;
  return rest;
}
