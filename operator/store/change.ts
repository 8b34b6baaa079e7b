import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey, ObjectMeta } from '../model/object.ts';

/** One difference between two states of a cache. */
export type Change<T extends KubernetesObject = KubernetesObject> =
  | Added<T>
  | Updated<T>
  | Deleted<T>;

/** What every change has. Objects are shared and read-only. */
abstract class ChangedEntry<T extends KubernetesObject> {
  /** The object as it is now; of a delete, its last known state. */
  readonly entry: Entry<T>;

  constructor(entry: Entry<T>) {
    this.entry = entry;
  }

  get key(): ObjectKey {
    return this.entry.key;
  }

  /**
   * The object, parsed when it is asked for.
   *
   * @throws ProtocolError or OperatorError as `Entry.object` does. A handler need not catch it: see
   *   `ChangeHandler`.
   */
  get object(): T {
    return this.entry.object;
  }

  /** The object's metadata; the rest of the object is not parsed for it. */
  get metadata(): ObjectMeta {
    return this.entry.metadata;
  }
}

/** An object has come. */
export class Added<T extends KubernetesObject> extends ChangedEntry<T> {
  readonly type = 'add';
  /** Part of the first list: it existed before we looked. */
  readonly initial: boolean;

  constructor(entry: Entry<T>, initial: boolean) {
    super(entry);
    this.initial = initial;
  }
}

/** Why an update is told of, where it is no change that a watch has shown. */
export interface UpdateReason {
  /** Nothing changed, and `old === entry`: a handler asked to be told again from time to time. */
  readonly resync?: true;
  /** Found by comparing with a list that came anew: no watch has told of it. */
  readonly relist?: true;
}

/** An object has changed. */
export class Updated<T extends KubernetesObject> extends ChangedEntry<T> implements UpdateReason {
  readonly type = 'update';
  /** The state before. */
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

/** An object has gone. */
export class Deleted<T extends KubernetesObject> extends ChangedEntry<T> {
  readonly type = 'delete';
  /** The delete itself was not seen: `object` may not be what was deleted. */
  readonly finalStateUnknown: boolean;

  constructor(entry: Entry<T>, finalStateUnknown: boolean) {
    super(entry);
    this.finalStateUnknown = finalStateUnknown;
  }
}

/**
 * What is left of a change when an object of it turned out to be unreadable; undefined when nothing is:
 * the source tells of the object again when it can be read.
 */
export function readableChange<T extends KubernetesObject>(
  change: Change<T>,
): Change<T> | undefined {
  const { entry } = change;
  if (change.type === 'delete') {
    return entry.isUnreadable ? new Deleted(entry.nameAlone(), true) : change;
  }
  if (entry.isUnreadable) return undefined;
  // A state that nobody could read never was, for anybody.
  if (change.type === 'update' && change.old.isUnreadable) return new Updated(entry, entry, change);
  return change;
}
