/** What the process of the API server says, and is asked. */

/** Of all objects and Leases. */
export const NAMESPACE = 'demo';
/** There are no objects here. */
export const EMPTY_NAMESPACE = 'empty';

/** Where the server is, when it has all objects. */
export interface Serving {
  readonly url: string;
}

/**
 * - `change`: the first so many ConfigMaps, and their Secrets if those were there from the start.
 * - `mirror`: wait until each Secret shows what its ConfigMap says.
 * - `count`: nothing.
 */
export type Order =
  | { readonly kind: 'change'; readonly count: number; readonly text: string }
  | { readonly kind: 'mirror' | 'count' };

/** The answer, when the order is done. */
export interface Done {
  /** `performance.now()` of the server's process. */
  readonly atMs: number;
  /** Creations and changes of Secrets so far. */
  readonly writes: number;
  /** Each Secret that was written, and what it shows, in the order of names. */
  readonly shown: string;
}
