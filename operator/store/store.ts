import type { KubernetesObject, ObjectKey } from '../model/object.ts';

/** Read side of a cache. Objects are shared and read-only: copy before changing. */
export interface Store<T extends KubernetesObject> {
  /** True from the first full list until the informer stops. */
  readonly synced: boolean;
  /** @throws OperatorError `NOT_SYNCED` before the first full list. */
  get(key: ObjectKey): T | undefined;
  /**
   * A snapshot; later events do not change the returned array.
   *
   * @throws OperatorError `NOT_SYNCED` before the first full list.
   */
  list(): readonly T[];
}
