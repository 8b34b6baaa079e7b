import type { ClusterAccess, ResourceName, StoredObject } from '../cluster-access.ts';
import type { PodSpec } from './pod.ts';

export const NODES: ResourceName = 'nodes';

/** The node of a cluster that has no Node objects: it takes every Pod. */
const IMPLICIT_NODE = 'node-1';

/**
 * Names of the nodes that take a Pod of this spec, in order. `spec.nodeSelector` counts; affinity,
 * taints and resources do not: the simulated nodes have room for everything.
 *
 * @param also - whether cordoned nodes are among them.
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
