import { isMap, isSameJson, type JsonMap } from '../../controller/children/json-difference.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import { findCondition, type WantedCondition } from '../../model/condition.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isVersionConflict } from '../../model/refusal.ts';
import { conditionsOf, publicMessage, reasonOf, stampedCondition, statusOf } from '../failures.ts';
import type { DecoratorEngineOptions } from './engine-options.ts';

/**
 * The type of the condition by which a decorator states that it failed for an object. The object belongs to others, and
 * may have other decorators: so it has the name of the decorator.
 */
function failureCondition(decorator: string): string {
  return `${decorator}/Synced`;
}

/** `status` without the condition of the decorator. The function may have copied it from the object. */
export function withoutFailure(status: JsonMap, decorator: string): JsonMap {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return status;
  const type = failureCondition(decorator);
  const others = conditions.filter((each) => !isMap(each) || each.type !== type);
  if (others.length === conditions.length) return status;
  if (others.length > 0) return { ...status, conditions: others };
  const { conditions: _, ...rest } = status;
  return rest;
}

/**
 * States a failure in the status of the object, if it is another than the stated one. An object that has changed since
 * it was read is left alone until the next attempt.
 */
export async function stateFailure(
  object: KubernetesObject,
  error: unknown,
  { decorator, objects: { resource }, hasStatusSubresource, statusFields }: DecoratorEngineOptions,
  { client, clock }: ReconcileContext,
): Promise<void> {
  const { name, namespace, uid, resourceVersion, generation } = object.metadata;
  const known = conditionsOf(statusOf(object));
  const type = failureCondition(decorator);
  const before = findCondition(known, type);
  const wanted: WantedCondition = {
    ...{ type, status: 'False', reason: reasonOf(error), message: publicMessage(error) },
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  const condition = stampedCondition(before, wanted, statusFields, clock.now());
  if (isSameJson(before, condition)) return;
  const conditions = [...known.filter((each) => each.type !== type), condition];
  const body = { metadata: { uid, resourceVersion }, status: { conditions } };
  const options = hasStatusSubresource ? { subresource: 'status' } : {};
  try {
    await client.patch(resource, { name, namespace }, { type: 'merge', body }, options);
  } catch (failure) {
    if (!isVersionConflict(failure) && !isNotFound(failure)) throw failure;
  }
}
