import type { Entry } from './entry.ts';
import type { KubernetesObject } from './object.ts';

/** One decoded line of a watch. A wire `ERROR` is not among them: it is thrown as an ApiError. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry<T> }
  | {
      readonly type: 'BOOKMARK';
      /** Undefined when a server sent a bookmark without one: then it says nothing. */
      readonly resourceVersion: string | undefined;
      /** True for the bookmark that ends the initial events of a streaming list. */
      readonly initialEventsEnd: boolean;
    };

/** The annotation of the bookmark that ends the initial events of a streaming list. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
