import { isDeepStrictEqual } from 'node:util';
import { isSameJson } from '../controller/children/json-difference.ts';
import { statusOf } from '../controller/object-shape/condition-list.ts';
import type { Predicate } from '../controller/predicate.ts';
import type { Mapping } from '../core/mapping.ts';
import type { Entry } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { CompositeEngineOptions, DecoratorEngineOptions } from './engine-options.ts';
import { failureType, withoutFailure } from './failures.ts';

type Options = Pick<
  CompositeEngineOptions,
  'selects' | 'finalizer' | 'ignoreStatusChanges' | 'failures'
> &
  Partial<Pick<CompositeEngineOptions, 'status'>> &
  Partial<Pick<DecoratorEngineOptions, 'decorator'>>;

/** True for an object that is selected or still has the finalizer. */
export function isConcerned(
  object: KubernetesObject,
  { selects, finalizer }: Pick<Options, 'selects' | 'finalizer'>,
): boolean {
  return selects === undefined || selects(object) || carries(object, finalizer);
}

export function carries(
  { metadata }: Pick<KubernetesObject, 'metadata'>,
  finalizer: Options['finalizer'],
): boolean {
  return finalizer !== undefined && metadata.finalizers?.includes(finalizer.name) === true;
}

/** One state of an object. It is parsed only when something other than its metadata is read. */
type State = Pick<Entry, 'metadata' | 'object'>;

/**
 * Passes changes of parents that the function can see. Drops changes of objects that do not concern the
 * controller, and changes that the engine itself has made: its finalizer, the failure condition, and
 * `observedGeneration` if the engine replaces the whole status. Because of such changes the function would be
 * called again with the same input.
 */
export function visibleChanges(options: Options): Predicate {
  const { selects } = options;
  const concerns = (state: State): boolean =>
    selects === undefined || isConcerned(state.object, options);
  return (event) => {
    const now = concerns(event);
    if (event.type !== 'update') return now;
    if (now !== concerns(event.old)) return true;
    return now && isVisible(event.old, event, options);
  };
}

function isVisible(old: State, now: State, options: Options): boolean {
  const { deletionTimestamp, generation } = now.metadata;
  const isSameSpec =
    generation === old.metadata.generation &&
    isDeepStrictEqual(old.metadata.labels ?? {}, now.metadata.labels ?? {}) &&
    isDeepStrictEqual(old.metadata.annotations ?? {}, now.metadata.annotations ?? {});
  if (!isSameSpec) return true;
  const { finalizer, ignoreStatusChanges = false } = options;
  // The sync has waited until the unused finalizer is removed.
  if (finalizer?.isUsed === false && carries(old, finalizer) && !carries(now, finalizer))
    return true;
  // Without a generation, a status change cannot be distinguished from other changes.
  if (ignoreStatusChanges && deletionTimestamp === undefined && generation !== undefined) {
    return false;
  }
  return !isSameJson(visible(old.object, options), visible(now.object, options));
}

function visible(
  object: KubernetesObject,
  { finalizer, failures, status, decorator }: Options,
): Mapping {
  const { resourceVersion: _, managedFields: __, finalizers, ...metadata } = object.metadata;
  const hidden = finalizer?.isUsed === true ? finalizer.name : undefined;
  const others = (finalizers ?? []).filter((name) => name !== hidden);
  const { observedGeneration, ...stated } = statusOf(object);
  const shown = status === 'replace' ? stated : { ...stated, observedGeneration };
  const foreign =
    failures?.condition === true ? withoutFailure(shown, failureType(decorator)) : shown;
  return { ...object, metadata: { ...metadata, finalizers: others }, status: foreign };
}
