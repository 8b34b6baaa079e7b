import { type ErrorContext, OperatorError } from '../core/errors.ts';
import { isAdmissionDenied, isInvalid, type Refusal, refusalOf } from '../model/refusal.ts';
import { apiVersionOf, type Resource, resourceName } from '../model/resource.ts';
import type { RetryOptions } from '../queue/work-queue.ts';
import type { RefusedResult } from './reconciler.ts';
import type { Source } from './source.ts';

/**
 * Milliseconds between two attempts while an object is being deleted. If the object is watched, the key is
 * reconciled as soon as its removal is reported.
 */
const LOOK_AGAIN_MS = 5_000;

/** An object with the same name is being deleted. The write can succeed once that object is gone. */
export class BeingDeletedError extends OperatorError {
  override readonly name = 'BeingDeletedError';
  /** Milliseconds until the next attempt, unless an event comes first. */
  readonly retryAfterMs: number = LOOK_AGAIN_MS;

  constructor(message: string, options: ErrorOptions & { readonly context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'BEING_DELETED', layer: 'api-server' });
  }
}

/**
 * A cache that a reconcile needs has not received its first list yet. The key is retried, and the failure is
 * not reported.
 */
export class NotReadyError extends OperatorError {
  override readonly name = 'NotReadyError';
  /** Milliseconds until the next attempt. */
  readonly retryAfterMs: number = 500;

  constructor(message: string, options: ErrorOptions & { readonly context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'NOT_SYNCED', layer: 'api-server' });
  }
}

/**
 * The status cannot be written. The object exists, but the installed definition does not declare the status
 * subresource in this version. Nothing was written. Retries fail until the definition is changed.
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

/** A source that the reconcile needs cannot be listed. The source is used as soon as it can be listed. */
export class SourceUnavailableError extends OperatorError {
  override readonly name = 'SourceUnavailableError';
  readonly source: Source;
  /**
   * `Forbidden`: the right to list or watch the source is missing. `NotServed`: the API server does not serve
   * the resource.
   */
  readonly reason: 'Forbidden' | 'NotServed';

  constructor(source: Source, reason: 'Forbidden' | 'NotServed') {
    const name = resourceName(source.resource);
    const isForbidden = reason === 'Forbidden';
    super(isForbidden ? `may not list and watch ${name}` : `${name} is not served`, {
      code: isForbidden ? 'API_STATUS' : 'UNSERVED',
      layer: 'api-server',
      context: { resource: name, apiVersion: apiVersionOf(source.resource), reason },
    });
    this.source = source;
    this.reason = reason;
  }
}

/**
 * A reconciler throws this for a failure that retries cannot fix, such as an invalid spec.
 *
 * The controller logs and counts the failure, forgets earlier failures of the key, and does not retry it. A
 * new event for the key reconciles it again.
 */
export class TerminalError extends OperatorError {
  override readonly name = 'TerminalError';

  constructor(message: string, options: ErrorOptions & { context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'USER_CODE', layer: 'user-code' });
  }
}

/**
 * The function of a composite or a decorator repeats earlier answers, so that each answer reverts the
 * previous change of the object. This time the object was not changed.
 */
export class HotLoopError extends OperatorError {
  override readonly name = 'HotLoopError';
  /** The machine-readable reason to use in a condition. */
  readonly reason = 'HotLoop';
  /** The fields that differ from answer to answer. */
  readonly paths: readonly string[];

  constructor(object: string, paths: readonly string[]) {
    super(
      `the answers for ${object} change it again and again in ${paths.join(', ')}: answer the same for the same input`,
      { code: 'USER_CODE', layer: 'user-code', context: { object, paths: paths.join(', ') } },
    );
    this.paths = paths;
  }
}

/**
 * Another writer repeatedly changes fields that the reconciler sets, and each reconcile changes them back.
 */
export class WriteFightError extends OperatorError {
  override readonly name = 'WriteFightError';
  /** The machine-readable reason to use in a condition. */
  readonly reason = 'WriteFight';

  constructor({ object, paths, managers }: WriteFight) {
    const others = managers.length === 0 ? 'another writer' : managers.join(', ');
    const fields = paths.join(', ');
    super(
      `this controller and ${others} change ${fields} of ${object} back again and again: let one of them decide`,
      { code: 'USER_CODE', layer: 'user-code', context: { object, paths: fields, others } },
    );
  }
}

interface WriteFight {
  readonly object: string;
  readonly paths: readonly string[];
  /** The other field managers; empty when they are unknown. */
  readonly managers: readonly string[];
}

/**
 * The API server has not stored fields of a status, because the installed definition does not declare them.
 */
export class UndeclaredStatusError extends OperatorError {
  override readonly name = 'UndeclaredStatusError';
  /** The machine-readable reason to use in a condition. */
  readonly reason = 'UndeclaredField';
  /** The fields that are missing in the stored status. */
  readonly paths: readonly string[];

  constructor(resource: Resource, paths: readonly string[]) {
    super(
      `the definition of ${resourceName(resource)} does not accept ${paths.join(', ')} as stated: the rest of the status is written`,
      {
        code: 'USER_CODE',
        layer: 'user-code',
        context: { definition: resourceName(resource), paths: paths.join(', ') },
      },
    );
    this.paths = paths;
  }
}

/** Delays in milliseconds between two attempts at a write that the API server refuses. */
const REFUSED_RETRY: { readonly invalidEveryMs: number; readonly otherMaxMs: number } = {
  /** For a write that violates the schema, plus or minus 10 %. It is long because a schema rarely changes. */
  invalidEveryMs: 60 * 60_000,
  /** The longest back-off, jitter included, after a policy, a quota or a missing right refused the write. */
  otherMaxMs: 10 * 60_000,
};

/**
 * The Outcome of an attempt whose refused write has already been reported to people. The key is reconciled
 * after a change, or when the server may accept the write, whichever comes first:
 *
 * - After a violation of a schema or a rule of the API (`isInvalid`): every 60 minutes, plus or minus 10 %.
 * - After a refusal by a policy, a webhook, a quota or another admission plug-in (`isAdmissionDenied`): after
 *   the key's own back-off, from 5 ms up to 10 minutes.
 *
 * @param error - the caught error.
 * @throws `error` itself when it is any other error, such as a missing right, a namespace that is being
 *   deleted, or a broken connection. Do not catch it: the controller retries the key.
 */
export function retryRefused(error: unknown): RefusedResult {
  const refusal = refusalOf(error);
  if (refusal === undefined || !(isInvalid(error) || isAdmissionDenied(error))) throw error;
  return { refusal };
}

/**
 * The retry options after a refusal. Without a refusal they are empty, so that the normal back-off applies.
 */
export function retryOptionsFor(refusal: Refusal | undefined): RetryOptions {
  if (refusal === undefined) return {};
  if (refusal.kind === 'invalid') return { everyMs: REFUSED_RETRY.invalidEveryMs };
  return { maxMs: REFUSED_RETRY.otherMaxMs };
}
