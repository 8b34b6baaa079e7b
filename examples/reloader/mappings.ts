import {
  and,
  enqueueMapped,
  type KubernetesObject,
  keyOf,
  labelChanged,
  type Mapping,
  type Predicate,
  type Source,
} from 'chancery';
import type { Engine } from './engine.ts';
import { BY_NAMESPACE, BY_RESOURCE, patternValue, resourceValue } from './sources.ts';
import type { ReceivedEvent } from './tell/observer.ts';

/**
 * Changes of resources → the workloads that they may concern. The indices of the workload source answer, so that
 * the cost of a change does not grow with the number of workloads. The reconcile decides which of them restart.
 *
 * @param counts - true for one of the controllers: what was received is counted once, not once for each kind.
 */
export function resourceMappings<T extends KubernetesObject>(
  workloads: Source<T>,
  engine: Engine,
  counts: boolean,
): readonly Mapping[] {
  const { observer } = engine;
  const { kind: workloadKind } = workloads.resource;
  const mappings = engine.resources.flatMap((kind) =>
    kind.watches.map(({ source, nameOf }, position) =>
      enqueueMapped(
        source,
        (resource, { store }) => {
          const { namespace } = resource.metadata;
          const name = nameOf(resource);
          if (namespace === undefined || name === undefined) return [];
          const cached = store(workloads);
          const { type } = kind;
          const keys = [
            ...cached.byIndex(BY_RESOURCE, resourceValue(namespace, { type, name })),
            ...cached.byIndex(BY_RESOURCE, patternValue(namespace, type)),
          ].map(keyOf);
          for (const key of keys) observer.queued(`${workloadKind}/${key}`);
          return keys;
        },
        counts && position === 0 ? { predicate: countedBy(engine, kind.plural) } : {},
      ),
    ),
  );
  return [
    ...mappings,
    ...engine.scope.reads.map((source) =>
      namespaceMapping(
        source,
        workloads,
        counts ? and(countedBy(engine, 'namespaces'), labelChanged) : labelChanged,
      ),
    ),
  ];
}

/**
 * Passes every change, and reports it. The mapping follows at once, and is called for the old and for the new state
 * of an object: a change would count twice there.
 */
function countedBy({ observer }: Engine, resourceType: string): Predicate {
  return ({ type, metadata: { name, namespace = '' } }) => {
    const eventType = EVENT_TYPES[type];
    if (eventType === undefined) return true;
    observer.received({ eventType, resourceType, namespace, name });
    observer.processed({ resourceType });
    return true;
  };
}

const EVENT_TYPES: Readonly<Record<string, ReceivedEvent['eventType'] | undefined>> = {
  create: 'add',
  update: 'update',
  delete: 'delete',
};

/** A label that comes later selects the namespace with all its workloads. */
function namespaceMapping<T extends KubernetesObject>(
  namespaces: Source,
  workloads: Source<T>,
  predicate: Predicate,
): Mapping {
  return enqueueMapped(
    namespaces,
    ({ metadata }, { store }) => store(workloads).byIndex(BY_NAMESPACE, metadata.name).map(keyOf),
    { predicate },
  );
}
