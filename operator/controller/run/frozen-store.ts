import type { KubernetesObject } from '../../model/object.ts';
import { deepFreeze } from '../../store/freeze.ts';
import type { Store } from '../../store/store.ts';

/**
 * `store`, whose objects are frozen when they are handed out: who changes one gets a TypeError at the
 * place that does it, instead of a cache that differs from the server. Each object is frozen once, so
 * that only those that a reconciler looks at cost anything.
 */
export function frozenStore<T extends KubernetesObject>(store: Store<T>): Store<T> {
  return {
    get synced() {
      return store.synced;
    },
    get(key, options) {
      const object = store.get(key, options);
      if (options?.copy !== true) deepFreeze(object);
      return object;
    },
    list: (query) => eachFrozen(store.list(query)),
    byIndex: (name, value) => eachFrozen(store.byIndex(name, value)),
  };
}

/** Not the array: it is a snapshot, which its reader may sort. */
function eachFrozen<T>(objects: readonly T[]): readonly T[] {
  for (const object of objects) deepFreeze(object);
  return objects;
}
