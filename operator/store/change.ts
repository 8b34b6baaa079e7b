import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey, ObjectMeta } from '../model/object.ts';

/** One difference between two states of a cache. */
export type Change<T extends KubernetesObject = KubernetesObject> =
  | Added<T>
  | Updated<T>
  | Deleted<T>;

/** Common part of all changes. Objects are shared and read-only. */
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
   * @throws ProtocolError or OperatorError as `Entry.object` does. A handler need not catch it: see
   *   `ChangeHandler`.
   */
  get object(): T {
    return this.entry.object;
  }

  /** The object's metadata. The rest of the object is not parsed. */
  get metadata(): ObjectMeta {
    return this.entry.metadata;
  }
}

/** An object was added. */
export class Added<T extends KubernetesObject> extends ChangedEntry<T> {
  readonly type = 'add';
  /** Part of the first list: the object existed before the source started. */
  readonly initial: boolean;

  constructor(entry: Entry<T>, initial: boolean) {
    super(entry);
    this.initial = initial;
  }
}

/** Why an update was sent, if not for a change shown by a watch. */
export interface UpdateReason {
  /** Nothing changed, and `old === entry`: the handler asked for periodic updates. */
  readonly resync?: true;
  /** Found by comparing with a new list: no watch has shown it. */
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
  /** The delete itself was not seen: `object` may differ from the deleted state. */
  readonly finalStateUnknown: boolean;
  /** The object may exist: it belongs to a part of the collection that the source no longer shows. */
  readonly isDropped: boolean;

  constructor(entry: Entry<T>, finalStateUnknown: boolean, isDropped = false) {
    super(entry);
    this.finalStateUnknown = finalStateUnknown;
    this.isDropped = isDropped;
  }
}

/**
 * The rest of a change after one of its objects turned out to be unreadable. Undefined if no readable part is
 * left: the source reports the object again when it can be read.
 */
export function readableChange<T extends KubernetesObject>(
  change: Change<T>,
): Change<T> | undefined {
  const { entry } = change;
  if (change.type === 'delete') {
    return entry.isUnreadable ? new Deleted(entry.nameAlone(), true, change.isDropped) : change;
  }
  if (entry.isUnreadable) return undefined;
  // No handler has received an unreadable old state, so the new state takes its place.
  if (change.type === 'update' && change.old.isUnreadable) return new Updated(entry, entry, change);
  return change;
}
