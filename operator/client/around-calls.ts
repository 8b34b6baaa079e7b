import type { Interceptor } from './call.ts';

/**
 * The complete list of layers that surround a call, with the outermost layer first. A call passes the layers
 * from top to bottom, and its answer or failure passes them from bottom to top. `surround` adds a layer by
 * name, in the code that knows what the layer needs. The order is always that of this list, wherever and
 * whenever a layer is added. A client has only the layers that were added for it: for example, the client of
 * a runnable has no layer of an attempt, and the client for Leases has layers only in a dry run.
 *
 * Inside of all layers, `restClient` turns the call into a request. `fencedTransport` checks the fence of the
 * leader before the request is sent, and `meteredTransport` counts each request that is sent, including each
 * retry.
 */
export const AROUND_CALLS = [
  /**
   * Aborts the call when its attempt aborts (`controller/run/context.ts`). This layer is the outermost, so
   * that all others get the signal, for example for the waits of `retry`.
   */
  'abort',
  /**
   * Reports each write to the key policies and the debug log (`controller/run/context.ts`). This layer is
   * outside of `journal`, so that the caches already contain a write when it is reported to a policy.
   */
  'observe',
  /**
   * Adds each write to the caches of the process until the watch delivers it (`controller/run/runner.ts`).
   * This layer is outside of `retry`, because only the last answer to a call is certain to be the stored
   * object.
   */
  'journal',
  /**
   * Counts each write for the status page (`manager/controller-host.ts`). This layer is outside of `retry`,
   * so that a write is counted once, however often it is sent. Its position before `expectServed` does not
   * matter.
   */
  'count',
  /**
   * Makes the sources of a resource poll at once when an answer contains its established definition
   * (`manager/operator-process.ts`). The position of this layer in the list does not matter.
   */
  'expectServed',
  /**
   * In a dry run, marks the requests of a call. Requests without the mark are reported, because they bypass
   * the client (`cli/run/dry-run.ts`). This layer is outside of all layers that send requests.
   */
  'ownRequests',
  /**
   * In a dry run, stores nothing and prints each write (`cli/run/dry-run.ts`). This layer is outside of
   * `retry`, so that a write is printed once, with its outcome, and retries are dry runs as well.
   */
  'dryRun',
  /**
   * Adds to the error why the ambassador's filter refused the request (`manager/operator-process.ts`). This
   * layer is inside of `dryRun`, so that `dryRun` prints the complete error and recognises the same error
   * when the reconcile fails with it.
   */
  'explain',
  /**
   * Sends a failed call again while that is safe (`client/connection.ts`). This layer is the innermost, so
   * that all other layers get only the final outcome of a call.
   */
  'retry',
] as const;

/** The layers around the calls of a client, keyed by name. A layer that is undefined is omitted. */
export type PartsAround = {
  readonly [Part in (typeof AROUND_CALLS)[number]]?: Interceptor | undefined;
};
