import type { Condition } from 'chancery';
import { setCondition } from 'chancery/internal-objects';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';

/** An object that is still in a namespace. */
export interface Content {
  readonly resource: ResourceName;
  readonly object: StoredObject;
}

type Observation = Omit<Condition, 'lastTransitionTime'>;

/** Conditions about problems that a real namespace can have and that never occur here. */
const WELL: readonly Observation[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
];

/** The conditions of a terminating namespace: all five, in the order of the real controller. */
export function endingConditions(
  before: readonly Condition[],
  left: readonly Content[],
  nowMs: number,
): readonly Condition[] {
  const observed = [...WELL, contentRemaining(left), finalizersRemaining(left)];
  return observed.reduce((all, observation) => setCondition(all, observation, nowMs), before);
}

function contentRemaining(left: readonly Content[]): Observation {
  const type = 'NamespaceContentRemaining';
  if (left.length === 0) {
    const message = 'All content successfully removed';
    return { type, status: 'False', reason: 'ContentRemoved', message };
  }
  const counts = counted(left.map(({ resource }) => gvrOf(resource)));
  const message = `Some resources are remaining: ${described(counts, 'has')}`;
  return { type, status: 'True', reason: 'SomeResourcesRemain', message };
}

function finalizersRemaining(left: readonly Content[]): Observation {
  const type = 'NamespaceFinalizersRemaining';
  const counts = counted(left.flatMap(({ object }) => object.metadata.finalizers ?? []));
  if (counts.size === 0) {
    const message = 'All content-preserving finalizers finished';
    return { type, status: 'False', reason: 'ContentHasNoFinalizers', message };
  }
  const message = `Some content in the namespace has finalizers remaining: ${described(counts, 'in')}`;
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
}

/**
 * The resource and its group, such as `deployments.apps`. For the core group, the result ends with a dot, as
 * in `pods.`.
 */
function gvrOf(resource: ResourceName): string {
  return resource.includes('.') ? resource : `${resource}.`;
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of [...names].sort()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function described(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .join(', ');
}
