import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../model/object.ts';

/**
 * What a predicate decides on. A recreated object (another uid) comes as a delete and a create, so
 * that no predicate takes it for an update. Everything that is there when a controller begins comes as
 * a create, and what a relist finds changed as an update from what was known before. `generic`: nothing
 * has changed, and the object is told of again, as a resync does.
 */
export type PredicateEvent<T extends KubernetesObject = KubernetesObject> = {
  /** Parsed when it is asked for: a predicate that looks at `metadata` alone costs no parsing. */
  readonly object: T;
  readonly metadata: ObjectMeta;
} & (
  | { readonly type: 'create' | 'delete' | 'generic' }
  | {
      readonly type: 'update';
      /** The state before, with an `object` and a `metadata` of its own. */
      readonly old: Entry<T>;
    }
);

/**
 * True for what may reach the queue. Must not throw; one that does lets the event through, and is
 * logged once.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (
  event: PredicateEvent<T>,
) => boolean;

/** Everything but updates passes: a create, a delete and a resync are no change of a field. */
function onUpdate(
  passes: (event: Extract<PredicateEvent, { type: 'update' }>) => boolean,
): Predicate {
  return (event) => event.type !== 'update' || passes(event);
}

/** The same of what metadata show. */
function onMetadata(passes: (old: ObjectMeta, now: ObjectMeta) => boolean): Predicate {
  return onUpdate(({ old, metadata }) => passes(old.metadata, metadata));
}

/**
 * Passes updates that change `metadata.generation`, which is what people and controllers ask for, not
 * what status reports. Also passes the update with which an object begins to be deleted, one that
 * changes the finalizers of an object that is being deleted, and every update of a kind whose objects
 * have no generation, such as a ConfigMap. Creates, deletes and resyncs always pass.
 */
export const generationChanged: Predicate = onMetadata((old, now) => {
  if (old.generation === undefined || now.generation === undefined) return true;
  return old.generation !== now.generation || deletionMoved(old, now);
});

/** Passes updates that change an annotation; creates, deletes and resyncs always pass. */
export const annotationChanged: Predicate = onMetadata(
  (old, now) => !isDeepStrictEqual(old.annotations ?? {}, now.annotations ?? {}),
);

/** Passes updates that change a label; creates, deletes and resyncs always pass. */
export const labelChanged: Predicate = onMetadata(
  (old, now) => !isDeepStrictEqual(old.labels ?? {}, now.labels ?? {}),
);

/** Passes updates that change the object at all; creates, deletes and resyncs always pass. */
export const resourceVersionChanged: Predicate = onMetadata(
  (old, now) => old.resourceVersion !== now.resourceVersion,
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
  return onUpdate(({ old, object }) => !isDeepStrictEqual(part(old.object), part(object)));
}

/** Passes what every one of `predicates` passes; everything when there is none. */
export function and<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (event) => predicates.every((passes) => passes(event));
}

/** Passes what at least one of `predicates` passes; nothing when there is none. */
export function or<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (event) => predicates.some((passes) => passes(event));
}

/** Passes what `predicate` does not: of `generationChanged` only updates, no create and no delete. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

function deletionMoved(old: ObjectMeta, now: ObjectMeta): boolean {
  if ((old.deletionTimestamp === undefined) !== (now.deletionTimestamp === undefined)) return true;
  return (
    now.deletionTimestamp !== undefined &&
    !isDeepStrictEqual(old.finalizers ?? [], now.finalizers ?? [])
  );
}
