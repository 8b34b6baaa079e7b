import type { ObjectKey } from 'chancery';
import type { Hook, KubernetesBinding, WatchEventType } from '../hook.ts';

/** The data that a binding keeps of one object. */
export interface BindingObject {
  readonly key: ObjectKey;
  /** The object as JSON with sorted keys. Undefined if the binding does not keep full objects. */
  readonly objectText: string | undefined;
  /** The result of the filter as JSON with sorted keys. Undefined without a filter. */
  readonly filterText: string | undefined;
  /** A checksum of the result of the filter. If there is no filter, a checksum of the object. */
  readonly checksum: string;
}

/** A change of an object that a binding selects. */
export interface BindingEvent {
  readonly type: WatchEventType;
  readonly object: BindingObject;
}

/** The objects that one binding of one hook selects. */
export interface BindingWatch {
  /**
   * True when every list that the binding needs is complete. This includes lists for namespaces
   * that appeared later.
   */
  readonly synced: boolean;
  /**
   * The reason why the binding is not synced, for users: `waits for the kind Website`. Undefined
   * when it is synced. It may also be undefined while the first lists are still being read. In this
   * case, other hooks start only after these lists.
   */
  readonly waitsFor: string | undefined;
  /** All objects, sorted by namespace and then name. The array is shared: do not change it. */
  snapshot(): readonly BindingObject[];
  /** Stops watching. */
  close(): void;
}

/** Receives the changes of a binding's objects. */
export interface BindingListener {
  /** Called when `synced` may have become true. */
  synced(): void;
  /**
   * Called when objects have changed. The changes of one object come in the order in which the
   * cache received them. Not called before `synced`, for objects of the first lists, or for changes
   * that leave the checksum unchanged.
   */
  changed(events: readonly BindingEvent[]): void;
}

/** Begins to watch the objects that a binding selects. */
export type WatchBinding = (
  hook: Hook,
  binding: KubernetesBinding,
  listener: BindingListener,
) => BindingWatch;
