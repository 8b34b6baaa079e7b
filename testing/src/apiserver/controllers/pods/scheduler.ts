import type { ObjectKey } from 'chancery';
import { objectKey, splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';
import { watchSelf } from './dependents.ts';
import { isFinished, type Pod, type PodSpec } from './pod.ts';
import { PODS } from './pod-template.ts';

export const NODES: ResourceName = 'nodes';

/** The node of a cluster without Node objects. It accepts every Pod. */
const IMPLICIT_NODE = 'node-1';

/** The only scheduler of this server. It ignores Pods whose `schedulerName` is different. */
const SCHEDULER_NAME = 'default-scheduler';

/** Places each Pod on the node with the fewest Pods. A Pod that fits no node waits. */
export function schedulerController(
  access: ClusterAccess,
  record: RecordEvent = recordNothing,
): WorkloadController {
  return {
    watches: [watchSelf(PODS), watchPending(access)],
    reconcile: (key) => reconcile(access, record, key),
  };
}

function reconcile(access: ClusterAccess, record: RecordEvent, key: ObjectKey): undefined {
  const { namespace, name } = splitKey(key);
  const pod = access.get(PODS, namespace, name) as Pod | undefined;
  if (pod === undefined || !isWaiting(pod)) return undefined;
  const nodeName = leastLoaded(access, nodesFor(access, pod.spec));
  if (nodeName === undefined) {
    const { length } = access.list(NODES);
    const message = `0/${length} nodes are available: ${length} node(s) didn't match Pod's node affinity/selector or were unschedulable.`;
    record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
    return undefined;
  }
  access.bind(namespace, name, nodeName);
  const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  record(pod, { reason: 'Scheduled', message });
  return undefined;
}

function isWaiting(pod: Pod): boolean {
  const { nodeName, schedulingGates, schedulerName = SCHEDULER_NAME } = pod.spec;
  if (nodeName || isFinished(pod) || pod.metadata.deletionTimestamp !== undefined) return false;
  if (schedulerName !== SCHEDULER_NAME) return false;
  return !Array.isArray(schedulingGates) || schedulingGates.length === 0;
}

function leastLoaded(access: ClusterAccess, nodes: readonly string[]): string | undefined {
  if (nodes.length <= 1) return nodes[0];
  const load = new Map(nodes.map((node) => [node, 0]));
  for (const { spec } of access.list(PODS) as readonly Pod[]) {
    const node = spec.nodeName ?? '';
    const count = load.get(node);
    if (count !== undefined) load.set(node, count + 1);
  }
  return [...load].toSorted(([, left], [, right]) => left - right)[0]?.[0];
}

/** Reconciles every waiting Pod when there is a new node, or a node accepts Pods again. */
function watchPending(access: ClusterAccess): WorkloadController['watches'][number] {
  return {
    resource: NODES,
    keysFor: () =>
      (access.list(PODS) as readonly Pod[])
        .filter((pod) => !pod.spec.nodeName)
        .map(({ metadata }) => objectKey(metadata.namespace, metadata.name)),
  };
}

/**
 * Names of the nodes that accept a Pod of this spec, sorted. Only `spec.nodeSelector` counts.
 * Affinity, taints and resources are ignored, because the simulated nodes have room for everything.
 *
 * @param also - whether to include cordoned nodes.
 */
export function nodesFor(
  access: ClusterAccess,
  spec: PodSpec,
  also: { readonly unschedulable: boolean } = { unschedulable: false },
): readonly string[] {
  const nodes = access.list(NODES);
  if (nodes.length === 0) return [IMPLICIT_NODE];
  const selector = Object.entries((spec.nodeSelector ?? {}) as Readonly<Record<string, string>>);
  return nodes
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter((node) => also.unschedulable || !isCordoned(node))
    .filter(({ metadata }) => selector.every(([key, value]) => metadata.labels?.[key] === value))
    .map(({ metadata }) => metadata.name);
}

function isCordoned(node: StoredObject): boolean {
  return (node.spec as { readonly unschedulable?: boolean } | undefined)?.unschedulable === true;
}
