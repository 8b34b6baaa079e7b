import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey, ObjectMeta } from '../model/object.ts';

/** One difference between two states of a cache. */
export type Change<T extends KubernetesObject = KubernetesObject> =
  | Added<T>
  | Updated<T>
  | Deleted<T>;

/** What all changes have in common. Objects are shared and read-only. */
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
   * @throws ProtocolError or OperatorError in the same cases as `Entry.object`. A handler need not catch
   *   these: see `ChangeHandler`.
   */
  get object(): T {
    return this.entry.object;
  }

  /** The object's metadata. Nothing else of the object is parsed. */
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

/** Why an update was sent, if it is not a change that a watch has shown. */
export interface UpdateReason {
  /** True if nothing changed, and `old === entry`: the handler asked for periodic updates. */
  readonly resync?: true;
  /** True if a comparison with a new list found the change, which no watch has shown. */
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
  /** True if the delete itself was not seen, so that `object` may differ from the deleted state. */
  readonly finalStateUnknown: boolean;
  /** True if the object may still exist, but is not among the objects that the source now shows. */
  readonly isDropped: boolean;

  constructor(entry: Entry<T>, finalStateUnknown: boolean, isDropped = false) {
    super(entry);
    this.finalStateUnknown = finalStateUnknown;
    this.isDropped = isDropped;
  }
}

/**
 * The rest of a change after one of its objects turned out to be unreadable. Undefined if nothing readable is
 * left. The source reports the object again when it becomes readable.
 */
export function readableChange<T extends KubernetesObject>(
  change: Change<T>,
): Change<T> | undefined {
  const { entry } = change;
  if (change.type === 'delete') {
    return entry.isUnreadable ? new Deleted(entry.nameAlone(), true, change.isDropped) : change;
  }
  if (entry.isUnreadable) return undefined;
  // No handler has received the unreadable old state, so the new state replaces it.
  if (change.type === 'update' && change.old.isUnreadable) return new Updated(entry, entry, change);
  return change;
}
