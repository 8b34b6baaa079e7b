import { rfc3339 } from '../../../model/condition.ts';
import type { Cluster } from '../cluster.ts';
import type { StoredObject } from '../cluster-access.ts';
import { conflict, invalid } from '../failures.ts';
import { isObject, valueAt, withFields } from '../objects/metadata.ts';
import { internalWrite, type WriteOptions } from '../request/options.ts';
import type { Target } from './target.ts';
import { updateObject } from './update.ts';

const BINDING = { group: '', kind: 'Binding' };

/**
 * Puts a Pod on the node that a Binding names, as a scheduler asks for.
 *
 * @throws ApiError 404 without the Pod, 409 when it is on a node already, 422 when none is named.
 */
export function bindPod(
  cluster: Cluster,
  pod: Target,
  binding: StoredObject,
  { manager, dryRun }: WriteOptions,
): void {
  const node = valueAt(binding, ['target', 'name']);
  if (typeof node !== 'string' || node === '') {
    const problem = {
      field: 'target.name',
      reason: 'FieldValueRequired',
      message: 'Required value',
    } as const;
    throw invalid(BINDING, pod.name, [problem]);
  }
  updateObject(cluster, pod, (live) => ({ object: assigned(live, node, pod) }), {
    ...internalWrite(manager),
    dryRun,
  });
  const time = rfc3339(cluster.clock.now());
  updateObject(cluster, pod, (live) => ({ object: scheduled(live, time) }), {
    ...internalWrite(manager, 'status'),
    dryRun,
  });
}

function assigned(pod: StoredObject, nodeName: string, { name }: Target): StoredObject {
  const spec = isObject(pod.spec) ? pod.spec : {};
  if (spec.nodeName) {
    const why = `pod ${name} is already assigned to node "${spec.nodeName}"`;
    throw conflict({ group: '', plural: 'pods/binding' }, name, why);
  }
  return withFields(pod, { spec: { ...spec, nodeName } });
}

function scheduled(pod: StoredObject, lastTransitionTime: string): StoredObject {
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
  return withFields(pod, { status: { ...status, conditions: [...others, condition] } });
}
