import type { KubernetesObject } from '../model/object.ts';

/**
 * What a predicate decides on. A recreated object (another uid) comes as a delete and a create, so
 * that no predicate takes it for an update. Everything that is there when a controller begins comes as
 * a create, and what a relist finds changed as an update from what was known before. `generic`: nothing
 * has changed, and the object is told of again, as a resync does.
 */
export type PredicateEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'create' | 'delete' | 'generic'; readonly object: T }
  | { readonly type: 'update'; readonly old: T; readonly object: T };

/**
 * True for what may reach the queue. Must not throw; one that does lets the event through, and is
 * logged once.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (
  event: PredicateEvent<T>,
) => boolean;
