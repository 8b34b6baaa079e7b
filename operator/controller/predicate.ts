import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, ObjectMeta } from '../model/object.ts';

/**
 * The event that a predicate passes or drops.
 *
 * - A recreated object (another uid) causes a delete and a create, never an update.
 * - Every object that exists when a controller starts causes a create.
 * - A difference that a relist finds causes an update from the previously known state.
 * - `generic`: nothing has changed, and the object is delivered again, for example by a resync.
 */
export type PredicateEvent<T extends KubernetesObject = KubernetesObject> = State<T> &
  (
    | { readonly type: 'create' | 'delete' | 'generic' }
    | {
        readonly type: 'update';
        /** The state before the update. */
        readonly old: State<T>;
      }
  );

/** One state of an object. */
interface State<T extends KubernetesObject> {
  /** Parsed on first access. A predicate that reads only `metadata` causes no parsing. */
  readonly object: T;
  /** The complete `metadata` of the object. */
  readonly metadata: ObjectMeta;
}

/**
 * Returns true to pass an event to the queue. It must not throw: if it throws for an event, the event passes,
 * and the first error is logged.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (
  event: PredicateEvent<T>,
) => boolean;

/** Passes every event that is not an update: a create, a delete and a resync change no field. */
function onUpdate(
  passes: (event: Extract<PredicateEvent, { type: 'update' }>) => boolean,
): Predicate {
  return (event) => event.type !== 'update' || passes(event);
}

/** Like `onUpdate`, for predicates that compare only metadata. */
function onMetadata(passes: (old: ObjectMeta, now: ObjectMeta) => boolean): Predicate {
  return onUpdate(({ old, metadata }) => passes(old.metadata, metadata));
}

/**
 * Passes updates that change `metadata.generation`: changes of the spec, but not of the status, the labels or
 * the annotations. `or(generationChanged, labelChanged)` passes changes of labels as well. It also passes
 *
 * - the update with which the deletion of an object begins,
 * - updates that change the finalizers of an object that is being deleted,
 * - every update of a kind whose objects have no generation, such as a ConfigMap.
 *
 * Creates, deletes and resyncs always pass.
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

/** Passes every update that changes the object; creates, deletes and resyncs always pass. */
export const resourceVersionChanged: Predicate = onMetadata(
  (old, now) => old.resourceVersion !== now.resourceVersion,
);

/**
 * Passes updates that change the selected fields of the status; creates, deletes and resyncs always pass.
 *
 * @param select - returns what to compare; the status may be absent. Default: the whole status. The results
 *   are compared deeply.
 */
export function statusChanged<S = unknown>(
  select: (status: S | undefined) => unknown = (status) => status,
): Predicate {
  const part = (object: KubernetesObject): unknown => select((object as { status?: S }).status);
  return onUpdate(({ old, object }) => !isDeepStrictEqual(part(old.object), part(object)));
}

/** Passes events that all `predicates` pass. Without predicates, every event passes. */
export function and<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (event) => predicates.every((passes) => passes(event));
}

/** Passes events that at least one of `predicates` passes. Without predicates, no event passes. */
export function or<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (event) => predicates.some((passes) => passes(event));
}

/**
 * Passes the events that `predicate` drops. `not(generationChanged)` therefore passes neither creates nor
 * deletes, only updates.
 */
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
