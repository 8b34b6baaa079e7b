import { isAdmissionDenied, isInvalid, type Refusal, refusalOf } from '../model/refusal.ts';
import type { RetryOptions } from '../queue/work-queue.ts';
import type { RefusedResult } from './reconciler.ts';

/** Milliseconds between two attempts at what the API server refuses. */
const REFUSED_RETRY: { readonly invalidEveryMs: number; readonly otherMaxMs: number } = {
  /** What can never be accepted as it is, plus or minus 10 %: a schema changes rarely. */
  invalidEveryMs: 60 * 60_000,
  /** The longest back-off where a policy, a quota or a right may change, jitter included. */
  otherMaxMs: 10 * 60_000,
};

/**
 * The Result of an attempt that has told people about a refused write: reconcile again after a change,
 * and at the latest when the write may be accepted. After a schema or a rule of the API has refused
 * (`isInvalid`), that is every 60 minutes, plus or minus 10 %. After a policy, a webhook, a quota or
 * another admission plug-in has refused (`isAdmissionDenied`), it is the key's own back-off, from 5 ms
 * up to 10 minutes.
 *
 * @param error - as it was caught.
 * @throws `error` itself when it is anything else, such as a missing right, a namespace that is being
 *   deleted, or a broken connection. Let it through: the controller retries it.
 */
export function retryRefused(error: unknown): RefusedResult {
  const refusal = refusalOf(error);
  if (refusal === undefined || !(isInvalid(error) || isAdmissionDenied(error))) throw error;
  return { refusal };
}

/** How a key is put back after a refusal; nothing special for an error that is none. */
export function retryOptionsFor(refusal: Refusal | undefined): RetryOptions {
  if (refusal === undefined) return {};
  if (refusal.kind === 'invalid') return { everyMs: REFUSED_RETRY.invalidEveryMs };
  return { maxMs: REFUSED_RETRY.otherMaxMs };
}
