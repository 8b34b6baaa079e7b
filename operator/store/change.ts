import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey, ObjectMeta } from '../model/object.ts';

/** One difference between two states of a cache. */
export type Change<T extends KubernetesObject = KubernetesObject> =
  | Added<T>
  | Updated<T>
  | Deleted<T>;

/** The members that all kinds of changes have. Objects are shared and read-only. */
abstract class ChangedEntry<T extends KubernetesObject> {
  /** The object after the change; for a delete, its last known state. */
  readonly entry: Entry<T>;

  constructor(entry: Entry<T>) {
    this.entry = entry;
  }

  get key(): ObjectKey {
    return this.entry.key;
  }

  /**
   * The object, parsed when it is read.
   *
   * @throws ProtocolError or OperatorError in the same cases as `Entry.object`. A handler does not need to
   *   catch these errors: see `ChangeHandler`.
   */
  get object(): T {
    return this.entry.object;
  }

  /** The object's metadata. Reading them does not parse the rest of the object. */
  get metadata(): ObjectMeta {
    return this.entry.metadata;
  }
}

/** An object was added. */
export class Added<T extends KubernetesObject> extends ChangedEntry<T> {
  readonly type = 'add';
  /** True for an object in the first list, which existed before the source started. */
  readonly initial: boolean;

  constructor(entry: Entry<T>, initial: boolean) {
    super(entry);
    this.initial = initial;
  }
}

/** The reason why an update was sent. It is empty if a watch event reported the change. */
export interface UpdateReason {
  /**
   * True if the object has not changed, and `old === entry`. The update was sent because the handler
   * requested periodic updates.
   */
  readonly resync?: true;
  /**
   * True if no watch event reported the change, and it was found only by comparing the cache with a new list.
   */
  readonly relist?: true;
}

/** An object has changed. */
export class Updated<T extends KubernetesObject> extends ChangedEntry<T> implements UpdateReason {
  readonly type = 'update';
  /** The previous state. */
  readonly old: Entry<T>;
  readonly resync?: true;
  readonly relist?: true;

  constructor(entry: Entry<T>, old: Entry<T>, { resync, relist }: UpdateReason = {}) {
    super(entry);
    this.old = old;
    if (resync === true) this.resync = true;
    if (relist === true) this.relist = true;
  }
}

/** An object is gone. */
export class Deleted<T extends KubernetesObject> extends ChangedEntry<T> {
  readonly type = 'delete';
  /**
   * True if no watch event reported the delete, so that `object` may differ from the last state of the
   * object.
   */
  readonly finalStateUnknown: boolean;
  /** True if the source no longer delivers this object, which may still exist in the cluster. */
  readonly isDropped: boolean;

  constructor(entry: Entry<T>, finalStateUnknown: boolean, isDropped = false) {
    super(entry);
    this.finalStateUnknown = finalStateUnknown;
    this.isDropped = isDropped;
  }
}

/**
 * A change without the entries that turned out to be unreadable. Undefined if no readable entry is left. The
 * source reports the object again when it becomes readable.
 */
export function readableChange<T extends KubernetesObject>(
  change: Change<T>,
): Change<T> | undefined {
  const { entry } = change;
  if (change.type === 'delete') {
    return entry.isUnreadable ? new Deleted(entry.nameAlone(), true, change.isDropped) : change;
  }
  if (entry.isUnreadable) return undefined;
  // No handler could read the old state, so the new state is used in its place.
  if (change.type === 'update' && change.old.isUnreadable) return new Updated(entry, entry, change);
  return change;
}
