import type { Interceptor } from './call.ts';

/**
 * What surrounds a call: the only list, outermost first. A call passes the parts from top to bottom, and its
 * answer or failure passes them from bottom to top. Each part is added by name with `surround`, where what it
 * needs is known; this order holds wherever and whenever that is. A client has only the parts that were added
 * for it: one of a runnable belongs to no attempt, and the one for Leases has none outside of a dry run.
 *
 * Inside of all parts, `restClient` makes a request of the call. `fencedTransport` asks the fence of the leader
 * before it is sent, and `meteredTransport` counts what is sent: once for each retry.
 */
export const AROUND_CALLS = [
  /**
   * The call aborts with its attempt (`controller/run/context.ts`). Outermost, so that everything inside has the
   * signal, such as the waits of `retry`.
   */
  'abort',
  /**
   * The key policies and the debug log hear of each write (`controller/run/context.ts`). Outside of `journal`, so
   * that the caches already show a write when a policy hears of it.
   */
  'observe',
  /**
   * The caches of the process show each write until the watch does (`controller/run/runner.ts`). Outside of
   * `retry`, because only the last answer to a call is known to be the stored object.
   */
  'journal',
  /**
   * The status page counts each write (`manager/controller-host.ts`). Outside of `retry`: a write counts once,
   * however often it is sent. Its place beside `expectServed` has no reason.
   */
  'count',
  /**
   * Sources of a resource poll at once when an answer shows that its definition is established
   * (`manager/operator-process.ts`). Its place has no reason.
   */
  'expectServed',
  /**
   * In a dry run, what a call sends is no request past the client (`cli/run/dry-run.ts`). Outside of everything that
   * sends something.
   */
  'ownRequests',
  /**
   * In a dry run, nothing is stored, and each write is printed (`cli/run/dry-run.ts`). Outside of `retry`: a write is
   * printed once, with its outcome, and retries are dry runs, too.
   */
  'dryRun',
  /**
   * An error says why the ambassador's filter refused the request (`manager/operator-process.ts`). Inside of `dryRun`,
   * which prints the refusal, and knows the error again when the reconcile fails with it.
   */
  'explain',
  /**
   * A call that failed is sent again while that is safe (`client/connection.ts`). Innermost: for all parts outside,
   * a call has one outcome.
   */
  'retry',
] as const;

/** Parts around the calls of a client, by their names. One that is undefined is left out. */
export type PartsAround = {
  readonly [Part in (typeof AROUND_CALLS)[number]]?: Interceptor | undefined;
};
