import type { ClusterAccess, CommittedEvent, ResourceName } from '../cluster-access.ts';
import { type RecordEvent, recordNothing } from './event-recorder.ts';
import { GarbageCollection } from './garbage-collection.ts';
import { type NodeKey, nodeKey, OwnerGraph } from './owner-graph.ts';
import type { WorkloadController } from './workload-controller.ts';

/**
 * Deletes what has owners none of which is left, and carries out the three ways of deleting an
 * owner: `Background`, `Foreground` and `Orphan`. Knows every resource, custom ones too.
 */
export function garbageCollector(
  access: ClusterAccess,
  record: RecordEvent = recordNothing,
): WorkloadController {
  const graph = new OwnerGraph(access);
  const collection = new GarbageCollection(access, graph, record);

  /** Whoever may have to act after an event: the object, those that it owns, those that own it. */
  function* concernedBy(
    resource: ResourceName,
    event: CommittedEvent,
  ): Generator<NodeKey, void, undefined> {
    graph.observe(resource, event);
    const { object, type } = event;
    const references = object.metadata.ownerReferences ?? [];
    const isDoomed = object.metadata.deletionTimestamp !== undefined;
    if (type !== 'DELETED' && (references.length > 0 || isDoomed)) yield nodeKey(resource, object);
    if (type === 'DELETED' || isDoomed) yield* graph.dependentsOf(object.metadata.uid);
    for (const reference of references.concat(event.previous?.metadata.ownerReferences ?? [])) {
      const owner = graph.ownerOf(object, reference);
      if (owner.state === 'present' && owner.object.metadata.deletionTimestamp !== undefined)
        yield owner.node;
    }
  }

  return {
    watches: [],
    keysForAny: concernedBy,
    reconcile: (key) => {
      collection.collect(key);
      return undefined;
    },
  };
}
