import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import type { CompleteList, TakePage } from './list.ts';
import type { ReflectorStatus } from './reflector-status.ts';
import type { VersionView } from './verification.ts';

/**
 * Where a reflector puts what it learns. One call at a time; each is awaited, so that a slow sink
 * slows the socket instead of filling memory.
 */
export interface ReflectorSink<T extends KubernetesObject> extends VersionView {
  /** The entry that the sink has under a key. */
  known(key: ObjectKey): Entry<T> | undefined;
  /**
   * Takes the objects of a page before its list is complete, so that they need not all be in memory at
   * once. It answers the objects that stand for them in the list. A list may fail on a later page: then
   * it begins again with a `first` page. The pages of such a sink hold about 4 MiB each.
   *
   * Left out: the sink sees complete lists only.
   */
  readonly takePage?: TakePage<T> | undefined;
  /** The whole collection, at once: what is not in it is gone. */
  replace(list: CompleteList<T>): void | Promise<void>;
  /**
   * Changes in the order of the wire. Bookmarks are among them and mean nothing to a cache. So may be
   * a state of an object that is older than the one it has: that is to be ignored.
   *
   * A DELETED object carries the resourceVersion of its deletion and the last body that was stored:
   * its finalizers still stand there. For a source with a label selector, DELETED does not prove that
   * the object is gone: one that no longer matches comes as DELETED, with its old labels.
   */
  apply(batch: readonly WatchEvent<T>[]): void | Promise<void>;
  /** The state changed; once per change, not per attempt. */
  statusChanged(status: ReflectorStatus): void;
  /** An authoritative relist has compared; `drift` names what the watch had got wrong. */
  verified(drift: readonly ObjectKey[]): void;
}
