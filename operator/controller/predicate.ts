import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../model/object.ts';

/**
 * What a predicate decides on. A recreated object (another uid) comes as a delete and a create, so
 * that no predicate takes it for an update. Everything that is there when a controller begins comes as
 * a create, and what a relist finds changed as an update from what was known before. `generic`: nothing
 * has changed, and the object is told of again, as a resync does.
 */
export type PredicateEvent<T extends KubernetesObject = KubernetesObject> = {
  /** Parsed when it is asked for: a predicate that looks at `metadata` alone costs no parsing. */
  readonly object: T;
  readonly metadata: ObjectMeta;
} & (
  | { readonly type: 'create' | 'delete' | 'generic' }
  | {
      readonly type: 'update';
      /** The state before, with an `object` and a `metadata` of its own. */
      readonly old: Entry<T>;
    }
);

/**
 * True for what may reach the queue. Must not throw; one that does lets the event through, and is
 * logged once.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (
  event: PredicateEvent<T>,
) => boolean;
