import { type ErrorContext, OperatorError } from '../core/errors.ts';
import { isAdmissionDenied, isInvalid, type Refusal, refusalOf } from '../model/refusal.ts';
import { apiVersionOf, type Resource, resourceName } from '../model/resource.ts';
import type { RetryOptions } from '../queue/work-queue.ts';
import type { RefusedResult } from './reconciler.ts';

/** Between two looks at an object that is being deleted; its end is an event where it is watched. */
const LOOK_AGAIN_MS = 5_000;

/** An object that is in the way is being deleted, and can be made, or changed, when it is gone. */
export class BeingDeletedError extends OperatorError {
  override readonly name = 'BeingDeletedError';
  /** When to look again, unless an event comes first. */
  readonly retryAfterMs: number = LOOK_AGAIN_MS;

  constructor(message: string, options: ErrorOptions & { readonly context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'BEING_DELETED', layer: 'api-server' });
  }
}

/**
 * A status cannot be written: the object is there, and the installed definition does not declare the
 * status subresource in this version. Nothing was written, and nothing but the definition can mend it.
 */
export class NoStatusSubresourceError extends OperatorError {
  override readonly name = 'NoStatusSubresourceError';

  constructor(resource: Resource, options: ErrorOptions = {}) {
    super(
      `the installed definition of ${resourceName(resource)} has no status subresource in ${resource.version}: add "subresources: { status: {} }" to that version of the CustomResourceDefinition, or install the one of this release`,
      {
        ...options,
        code: 'CONFIG',
        layer: 'configuration',
        context: { definition: resourceName(resource), apiVersion: apiVersionOf(resource) },
      },
    );
  }
}

/**
 * Thrown by a reconciler for a failure that no retry can mend, such as a spec that makes no sense.
 *
 * The controller logs and counts it, forgets earlier failures of the key and does not try again by
 * itself; a new event for the key reconciles it again.
 */
export class TerminalError extends OperatorError {
  override readonly name = 'TerminalError';

  constructor(message: string, options: ErrorOptions & { context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'USER_CODE', layer: 'user-code' });
  }
}

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
