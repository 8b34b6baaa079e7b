import { boundedText, MAX_TEXT_CHARS } from '../core/bounded-text.ts';
import { OperatorError } from '../core/errors.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource (plural) that failed, despite its name. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The API server's answer where there is no object to return. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion?: string;
  readonly status?: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Nobody waits longer for a server than this, whatever it asks for: a year is a server's mistake. */
const MAX_RETRY_AFTER_MS = 60_000;

/** True for a decoded `Status` object. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status';
}

/**
 * The API server refused or failed a request, or sent an `ERROR` watch event. Of the server's message,
 * and of the message of each cause, it has 2,048 characters: of a longer one the first and the last.
 */
export class ApiError extends OperatorError {
  override readonly name = 'ApiError';
  /** HTTP status, or `Status.code` when the failure arrived inside a watch stream. */
  readonly status: number;
  /** `Status.reason`, e.g. `Conflict`, `Expired`. Empty when the server sent none. */
  readonly reason: string;
  readonly details: StatusDetails;
  /** How long the server asked us to wait, in milliseconds; 60 s at most. */
  readonly retryAfterMs: number | undefined;

  /**
   * @param status - what the server sent.
   * @param answer - `httpStatus` and `retryAfterMs` of the HTTP answer, where there was one.
   */
  constructor(
    status: Omit<Status, 'kind'>,
    answer: { readonly httpStatus?: number; readonly retryAfterMs?: number | undefined } = {},
  ) {
    const code = answer.httpStatus ?? status.code ?? 0;
    const reason = boundedWord(status.reason);
    const heading = reason === '' ? `${code}` : `${code} ${reason}`;
    const message = typeof status.message === 'string' ? status.message : 'no message';
    super(`${heading}: ${boundedText(message)}`, {
      code: 'API_STATUS',
      layer: 'api-server',
      context: { status: code, reason },
    });
    this.status = code;
    this.reason = reason;
    this.details = boundedDetails(status.details);
    const askedMs = Math.max(
      answer.retryAfterMs ?? 0,
      (Number(status.details?.retryAfterSeconds) || 0) * 1_000,
    );
    this.retryAfterMs = askedMs > 0 ? Math.min(askedMs, MAX_RETRY_AFTER_MS) : undefined;
  }
}

/** A reason of Kubernetes is a word. What is none is no reason that anybody could act upon. */
function boundedWord(reason: unknown): string {
  return typeof reason === 'string' ? reason.slice(0, MAX_REASON_CHARS) : '';
}

const MAX_REASON_CHARS = 128;

/** Each cause ends in messages of its own, so that its texts are bounded one by one. */
function boundedDetails(details: StatusDetails | undefined): StatusDetails {
  if (typeof details !== 'object' || details === null) return {};
  const { causes } = details;
  if (!Array.isArray(causes)) return details;
  return { ...details, causes: causes.map(boundedCause) };
}

function boundedCause(cause: StatusCause): StatusCause {
  const { message } = cause;
  if (typeof message !== 'string' || message.length <= MAX_TEXT_CHARS) return cause;
  return { ...cause, message: boundedText(message) };
}

/** True when the resourceVersion asked for is no longer served, so the caller must list again. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone')
  );
}

/**
 * True when a write does not fit what is there: 409 with the reason `Conflict`, which has several
 * meanings. `isVersionConflict` is a lost race, which a fresh read mends; `isUidMismatch` an object that
 * is gone; `isApplyConflict` a field of somebody else. An object that exists already is none.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'Conflict';
}

/** True when the object (or the resource itself) does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** True when an object of that name exists already. */
export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** True when the server is asked for a resourceVersion that it has not reached, in all its forms. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const causes = error.details.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  const texts = [error.message, ...causes.map((cause) => cause.message ?? '')];
  return texts.some((text) => text.includes('Too large resource version'));
}

/** True when a disruption budget refused an eviction; try again later. */
export function isDisruptionRefused(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 429 &&
    (error.details.causes ?? []).some((cause) => cause.reason === 'DisruptionBudget')
  );
}
