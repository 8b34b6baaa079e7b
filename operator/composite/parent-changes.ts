import { isMap, isSameJson, type JsonMap } from '../controller/children/json-difference.ts';
import type { Predicate } from '../controller/predicate.ts';
import type { KubernetesObject } from '../model/object.ts';

/** The condition by which a controller states that it failed for an object. */
export const SYNCED = 'Synced';

/**
 * Drops changes of parents in which nothing changed but what the engine itself writes: its finalizer,
 * `status.observedGeneration`, and the condition `Synced`. They would call the function again with the same input.
 *
 * @param statesFailures - whether the engine writes that condition.
 */
export function changedByOthers(finalizer: string | undefined, statesFailures: boolean): Predicate {
  const decisive = (object: KubernetesObject): JsonMap =>
    decisiveParts(object, finalizer, statesFailures);
  return (event) => {
    if (event.type !== 'update') return true;
    const { old, metadata } = event;
    if (old.metadata.generation !== metadata.generation) return true;
    return !isSameJson(decisive(old.object), decisive(event.object));
  };
}

function decisiveParts(
  object: KubernetesObject,
  finalizer: string | undefined,
  statesFailures: boolean,
): JsonMap {
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
    status: decisiveStatus(status, statesFailures),
  };
}

function decisiveStatus(status: unknown, statesFailures: boolean): unknown {
  if (!isMap(status)) return status;
  const { observedGeneration: _, conditions, ...others } = status;
  const foreign = Array.isArray(conditions)
    ? conditions.filter((each) => !statesFailures || !isFailure(each))
    : conditions;
  const kept = { ...others, ...(!isEmpty(foreign) && { conditions: foreign }) };
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** The function, or others, may state a condition of that type as well, but not that one has failed. */
function isFailure(condition: unknown): boolean {
  return isMap(condition) && condition.type === SYNCED && condition.status === 'False';
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
