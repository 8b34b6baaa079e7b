/**
 * Errors about a path, a method, a body or an option, with the messages of kube-apiserver v1.36.
 */

import type { ApiError, Resource } from 'chancery';
import { apiVersionOf } from 'chancery/internal-objects';
import { badRequest, failure, statusOf } from './failure.ts';

/** The error for an unknown path. Before 1.38 the answer is a line of text instead. */
export function unknownPath(): ApiError {
  const message = 'the server could not find the requested resource';
  return failure({ code: 404, reason: 'NotFound', message });
}

export function isUnknownPath(error: ApiError): boolean {
  return error.status === 404 && statusOf(error).details === undefined;
}

/**
 * The error for a resource that a built-in group version does not have. It comes from the server's router,
 * and has no details.
 */
export function unknownResource(): ApiError {
  const message = 'the server could not find the requested resource';
  return failure({ code: 404, reason: 'NotFound', message, details: {} });
}

/**
 * The error for a path that does not fit the scope of its resource. For a built-in resource, it comes from
 * the router.
 */
export function notServed({ custom }: { readonly custom: boolean }): ApiError {
  return custom ? unknownPath() : unknownResource();
}

export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return failure({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

export function expired(message: string, continueToken?: string): ApiError {
  const token = continueToken === undefined ? {} : { continue: continueToken };
  return failure({ code: 410, reason: 'Expired', message, ...token });
}

export function tooLargeResourceVersion(asked: number | bigint, current: number): ApiError {
  return failure({
    code: 504,
    reason: 'Timeout',
    message: tooLarge(asked, current),
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

function tooLarge(asked: number | bigint, current: number): string {
  return `Timeout: Too large resource version: ${asked}, current: ${current}`;
}

/**
 * The error when the watch cache lags behind and the server does not read from etcd instead. It has the
 * message of `tooLargeResourceVersion`, but its code 429 tells clients to try again.
 */
export function lateCache(asked: number | bigint, current: number): ApiError {
  return tooManyRequests(tooLarge(asked, current));
}

/** The error for a request that needs a watch cache while the cache is being filled. */
export function unreadyCache(): ApiError {
  return tooManyRequests('storage is (re)initializing');
}

function tooManyRequests(message: string): ApiError {
  const details = { retryAfterSeconds: 1 };
  return failure({ code: 429, reason: 'TooManyRequests', message, details });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const list = accepted.join(', ');
  return failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${list}`,
  });
}

/** The error for a PATCH whose content type is not a patch. */
export function notAPatch(): ApiError {
  const message = '415: Unsupported Media Type';
  return failure({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
}

export function notAcceptable(available: readonly string[]): ApiError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  return failure({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

/**
 * The error when an endpoint cannot send any accepted media type. If a router in front of the endpoint
 * refuses the media types, the error is `notAcceptable`.
 */
export function noSuchMediaType(accepted: readonly string[]): ApiError {
  const message = `only the following media types are accepted: ${accepted.join(', ')}`;
  return failure({ code: 406, reason: 'NotAcceptable', message });
}

/** The error for a body that cannot be decoded into the kind of the resource. */
export function cannotBeHandled(
  resource: Pick<Resource, 'group' | 'version' | 'kind'>,
  found: { readonly kind: string; readonly version: string },
  why: string,
): ApiError {
  return badRequest(
    `${found.kind} in version "${found.version}" cannot be handled as a ${resource.kind}: ${why}`,
  );
}

export function versionMismatch(
  found: string,
  resource: Pick<Resource, 'group' | 'version'>,
): ApiError {
  const expected = apiVersionOf(resource);
  return badRequest(
    `the API version in the data (${found}) does not match the expected API version (${expected})`,
  );
}
