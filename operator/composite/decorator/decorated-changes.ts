import { isDeepStrictEqual } from 'node:util';
import { isSameJson, type JsonMap } from '../../controller/children/json-difference.ts';
import type { Predicate } from '../../controller/predicate.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { statusOf } from '../failures.ts';
import type { DecoratorEngineOptions } from './engine-options.ts';
import { withoutFailure } from './failure-condition.ts';

type Options = Pick<
  DecoratorEngineOptions,
  'selects' | 'finalizer' | 'ignoreStatusChanges' | 'decorator'
>;

/** True for an object that is decorated, or still carries the finalizer. */
export function isConcerned(
  object: KubernetesObject,
  { selects, finalizer }: Pick<Options, 'selects' | 'finalizer'>,
): boolean {
  return selects === undefined || selects(object) || carries(object, finalizer);
}

export function carries(object: KubernetesObject, finalizer: Options['finalizer']): boolean {
  return finalizer !== undefined && object.metadata.finalizers?.includes(finalizer.name) === true;
}

/**
 * Lets the changes through that the function can see. Objects that do not concern the decorator cause nothing, and
 * neither do the writes of its own finalizer and of its own condition.
 */
export function decoratedChanges(options: Options): Predicate {
  return (event) => {
    if (event.type !== 'update') return isConcerned(event.object, options);
    const now = isConcerned(event.object, options);
    if (now !== isConcerned(event.old.object, options)) return true;
    return now && isVisible(event.old.object, event.object, options);
  };
}

function isVisible(
  old: KubernetesObject,
  now: KubernetesObject,
  { finalizer, ignoreStatusChanges = false, decorator }: Options,
): boolean {
  const { deletionTimestamp, generation } = now.metadata;
  const isSameSpec =
    generation === old.metadata.generation &&
    isDeepStrictEqual(old.metadata.labels ?? {}, now.metadata.labels ?? {}) &&
    isDeepStrictEqual(old.metadata.annotations ?? {}, now.metadata.annotations ?? {});
  if (!isSameSpec) return true;
  // The sync waits for the removal of one that nothing uses.
  if (finalizer?.isUsed === false && carries(old, finalizer) && !carries(now, finalizer))
    return true;
  // Without a generation, a change of the status cannot be told from others.
  if (ignoreStatusChanges && deletionTimestamp === undefined && generation !== undefined) {
    return false;
  }
  const hidden = finalizer?.isUsed === true ? finalizer.name : undefined;
  return !isSameJson(visible(old, hidden, decorator), visible(now, hidden, decorator));
}

function visible(
  object: KubernetesObject,
  finalizer: string | undefined,
  decorator: string,
): JsonMap {
  const { resourceVersion: _, managedFields: __, finalizers, ...metadata } = object.metadata;
  const others = (finalizers ?? []).filter((name) => name !== finalizer);
  const status = withoutFailure(statusOf(object), decorator);
  return { ...object, metadata: { ...metadata, finalizers: others }, status };
}
