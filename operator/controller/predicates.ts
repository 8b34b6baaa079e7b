import { isDeepStrictEqual } from 'node:util';
import { isOfMetadata, ofMetadata } from '../model/metadata-only.ts';
import type { KubernetesObject, ObjectMeta } from '../model/object.ts';
import type { Predicate } from './predicate.ts';

/** What was seen and what is there now. */
type Compare = (old: KubernetesObject, object: KubernetesObject) => boolean;

/** Everything but updates passes: a create, a delete and a resync are no change of a field. */
function onUpdate(passes: Compare): Predicate {
  return (event) => event.type !== 'update' || passes(event.old, event.object);
}

/**
 * Passes updates that change `metadata.generation`, which is what people and controllers ask for, not
 * what status reports. Also passes the update with which an object begins to be deleted, one that
 * changes the finalizers of an object that is being deleted, and every update of a kind whose objects
 * have no generation, such as a ConfigMap. Creates, deletes and resyncs always pass.
 */
export const generationChanged: Predicate = ofMetadata(
  onUpdate(({ metadata: old }, { metadata }) => {
    if (old.generation === undefined || metadata.generation === undefined) return true;
    return old.generation !== metadata.generation || deletionMoved(old, metadata);
  }),
);

/** Passes updates that change an annotation; creates, deletes and resyncs always pass. */
export const annotationChanged: Predicate = ofMetadata(
  onUpdate(
    ({ metadata: old }, { metadata }) =>
      !isDeepStrictEqual(old.annotations ?? {}, metadata.annotations ?? {}),
  ),
);

/** Passes updates that change a label; creates, deletes and resyncs always pass. */
export const labelChanged: Predicate = ofMetadata(
  onUpdate(
    ({ metadata: old }, { metadata }) =>
      !isDeepStrictEqual(old.labels ?? {}, metadata.labels ?? {}),
  ),
);

/** Passes updates that change the object at all; creates, deletes and resyncs always pass. */
export const resourceVersionChanged: Predicate = ofMetadata(
  onUpdate(({ metadata: old }, { metadata }) => old.resourceVersion !== metadata.resourceVersion),
);

/**
 * Passes updates that change a part of the status; creates, deletes and resyncs always pass.
 *
 * @param select - the part that matters, of a status that may be absent. Default: all of it. Answers
 *   are compared in depth.
 */
export function statusChanged<S = unknown>(
  select: (status: S | undefined) => unknown = (status) => status,
): Predicate {
  const part = (object: KubernetesObject): unknown => select((object as { status?: S }).status);
  return onUpdate((old, object) => !isDeepStrictEqual(part(old), part(object)));
}

/** Passes what every one of `predicates` passes; everything when there is none. */
export function and<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return asTheirs(predicates, (event) => predicates.every((passes) => passes(event)));
}

/** Passes what at least one of `predicates` passes; nothing when there is none. */
export function or<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return asTheirs(predicates, (event) => predicates.some((passes) => passes(event)));
}

/** Passes what `predicate` does not: of `generationChanged` only updates, no create and no delete. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return asTheirs([predicate], (event) => !predicate(event));
}

/** `made` of predicates looks at no more than they do. */
function asTheirs<T extends KubernetesObject>(
  predicates: readonly Predicate<T>[],
  made: Predicate<T>,
): Predicate<T> {
  return predicates.every(isOfMetadata) ? ofMetadata(made) : made;
}

function deletionMoved(old: ObjectMeta, now: ObjectMeta): boolean {
  if ((old.deletionTimestamp === undefined) !== (now.deletionTimestamp === undefined)) return true;
  return (
    now.deletionTimestamp !== undefined &&
    !isDeepStrictEqual(old.finalizers ?? [], now.finalizers ?? [])
  );
}
