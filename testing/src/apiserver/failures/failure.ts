import type { StatusDetails } from 'chancery';
import type { Status } from 'chancery/internal';
import { ApiError } from 'chancery/internal-objects';

/** A Status as the server writes it, with the fields in the order of Go's struct. */
export type StatusBody = Status & { readonly metadata: { readonly continue?: string } };

/** An ApiError with the exact body of its answer. */
class ApiErrorWithBody extends ApiError {
  readonly body: StatusBody;

  constructor(body: StatusBody) {
    super(body);
    this.body = body;
  }
}

interface Failure {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
  readonly continue?: string;
}

/**
 * Makes an error with any content. The functions in the other files of this folder make errors with the
 * messages of kube-apiserver v1.36.
 */
export function failure({ code, reason, message, details, ...list }: Failure): ApiError {
  return new ApiErrorWithBody({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: list.continue === undefined ? {} : { continue: list.continue },
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

/** The body of the answer that reports an error. */
export function statusOf(error: ApiError): StatusBody {
  if (error instanceof ApiErrorWithBody) return error.body;
  const { message = 'no message', details = {} } = error.statusWithValues();
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(error.reason === '' ? {} : { reason: error.reason }),
    ...(error.reason === 'BadRequest' ? {} : { details }),
    code: error.status,
  };
}

export function badRequest(message: string): ApiError {
  return failure({ code: 400, reason: 'BadRequest', message });
}

export function internalError(message: string): ApiError {
  return failure({ code: 500, message });
}
