import type { Interceptor } from './call.ts';

/**
 * The layers that surround a call, outermost first. No other list exists. A call passes the layers from top
 * to bottom, and its answer or failure passes them from bottom to top. `surround` adds a layer by name, in
 * the code that knows what the layer needs. The order is always that of this list, wherever and whenever a
 * layer is added. A client has only the layers that were added for it: the client of a runnable belongs to no
 * attempt, and the client for Leases has no layers outside of a dry run.
 *
 * Inside of all layers, `restClient` turns the call into a request. `fencedTransport` checks the fence of the
 * leader before the request is sent, and `meteredTransport` counts each request that is sent, including each
 * retry.
 */
export const AROUND_CALLS = [
  /**
   * The call aborts with its attempt (`controller/run/context.ts`). Outermost, so that everything inside has
   * the signal, such as the waits of `retry`.
   */
  'abort',
  /**
   * Reports each write to the key policies and the debug log (`controller/run/context.ts`). Outside of
   * `journal`, so that the caches already show a write when it is reported to a policy.
   */
  'observe',
  /**
   * Makes the caches of the process show each write until the watch shows it (`controller/run/runner.ts`).
   * Outside of `retry`, because only the last answer to a call is known to be the stored object.
   */
  'journal',
  /**
   * The status page counts each write (`manager/controller-host.ts`). Outside of `retry`, so that a write is
   * counted once, however often it is sent. Its place relative to `expectServed` does not matter.
   */
  'count',
  /**
   * Sources of a resource poll at once when an answer shows that its definition is established
   * (`manager/operator-process.ts`). Its place does not matter.
   */
  'expectServed',
  /**
   * In a dry run, marks the requests of a call, because requests without the mark are reported as bypassing
   * the client (`cli/run/dry-run.ts`). Outside of all layers that send requests.
   */
  'ownRequests',
  /**
   * In a dry run, stores nothing and prints each write (`cli/run/dry-run.ts`). Outside of `retry`, so that a
   * write is printed once, with its outcome, and retries are dry runs as well.
   */
  'dryRun',
  /**
   * Explains in the error why the ambassador's filter refused the request (`manager/operator-process.ts`).
   * Inside of `dryRun`, which prints the refusal and recognises the same error when the reconcile fails with
   * it.
   */
  'explain',
  /**
   * Sends a failed call again while that is safe (`client/connection.ts`). Innermost, so that a call has only
   * one outcome for all other layers.
   */
  'retry',
] as const;

/** The layers around the calls of a client, keyed by name. A layer that is undefined is omitted. */
export type PartsAround = {
  readonly [Part in (typeof AROUND_CALLS)[number]]?: Interceptor | undefined;
};
