import type { ObjectKey } from 'chancery';
import type { Hook, KubernetesBinding, WatchEventType } from '../hook.ts';

/** What a binding has of one object. */
export interface BindingObject {
  readonly key: ObjectKey;
  /** The object as JSON with sorted keys. Undefined if the binding does not keep full objects. */
  readonly objectText: string | undefined;
  /** The result of the filter as JSON with sorted keys. Undefined without a filter. */
  readonly filterText: string | undefined;
  /** Changes when the filter's result changes, or, without a filter, the object. */
  readonly checksum: string;
}

/** A change of an object that a binding selects. */
export interface BindingEvent {
  readonly type: WatchEventType;
  readonly object: BindingObject;
}

/** The objects that one binding of one hook selects. */
export interface BindingWatch {
  /** Every list that it needs is complete, those of namespaces that appeared later included. */
  readonly synced: boolean;
  /**
   * Why it is not synced, for people: `waits for the kind Website`. Undefined when it is synced. It may also be
   * undefined while first lists are under way: the start of the other hooks then waits for them.
   */
  readonly waitsFor: string | undefined;
  /** All objects, by namespace and then name. A new array, over shared values. */
  snapshot(): readonly BindingObject[];
  /** Stops watching. */
  close(): void;
}

/** Tells what happens to a binding's objects. */
export interface BindingListener {
  /** `synced` may have become true. */
  synced(): void;
  /**
   * In the order in which the cache took the changes of each object. Before `synced`, and for the objects of the
   * first lists, nothing is told. Changes that leave the checksum as it was are not told.
   */
  changed(events: readonly BindingEvent[]): void;
}

/** Begins to watch what a binding selects. */
export type WatchBinding = (
  hook: Hook,
  binding: KubernetesBinding,
  listener: BindingListener,
) => BindingWatch;
