import type { KubernetesObject } from '../../model/object.ts';
import { isMap, isSameJson, type JsonMap } from '../children/json-difference.ts';
import type { Predicate } from '../predicate.ts';

/** The condition by which a controller states that it failed for an object. */
export const SYNCED = 'Synced';

/**
 * Drops changes of parents in which nothing changed but what the engine itself writes: its finalizer,
 * `status.observedGeneration`, and the condition `Synced`. They would call the function again with the same input.
 */
export function changedByOthers(finalizer: string | undefined): Predicate {
  return (event) => {
    if (event.type !== 'update') return true;
    const { old, metadata } = event;
    if (old.metadata.generation !== metadata.generation) return true;
    return !isSameJson(decisive(old.object, finalizer), decisive(event.object, finalizer));
  };
}

function decisive(object: KubernetesObject, finalizer: string | undefined): JsonMap {
  const { metadata, status, ...others } = object as KubernetesObject & {
    readonly status?: unknown;
  };
  const { resourceVersion: _, managedFields: __, finalizers, ...kept } = metadata;
  const foreign = Array.isArray(finalizers)
    ? finalizers.filter((each) => each !== finalizer)
    : finalizers;
  return {
    ...others,
    metadata: { ...kept, finalizers: isEmpty(foreign) ? undefined : foreign },
    status: decisiveStatus(status),
  };
}

function decisiveStatus(status: unknown): unknown {
  if (!isMap(status)) return status;
  const { observedGeneration: _, conditions, ...others } = status;
  const foreign = Array.isArray(conditions)
    ? conditions.filter((each) => !isMap(each) || each.type !== SYNCED)
    : conditions;
  const kept = { ...others, ...(!isEmpty(foreign) && { conditions: foreign }) };
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
