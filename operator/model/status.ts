import { OperatorError } from '../core/errors.ts';
import { boundedText, MAX_TEXT_CHARS } from '../core/text/visible-text.ts';
import { type Status, type StatusCause, type StatusDetails, withoutValues } from './status-body.ts';

export type { Status, StatusCause, StatusDetails } from './status-body.ts';

/**
 * The longest time that a server can make the client wait, in milliseconds. A longer wait, such as a year,
 * must be a mistake of the server.
 */
const MAX_RETRY_AFTER_MS = 60_000;

/** True for a decoded `Status` object. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status';
}

/**
 * The API server refused or failed a request, or sent an `ERROR` watch event.
 *
 * `message` and `details` are safe to print: values that the server quotes are replaced with `(not shown)`,
 * because a refused value may be a Secret's. `statusWithValues()` returns the original text. The message, and
 * the message of each cause, are cut to 2,048 characters by removing the middle.
 */
export class ApiError extends OperatorError {
  override readonly name = 'ApiError';
  /** Private, so that no logger and no `inspect` prints it. */
  readonly #answered: Omit<Status, 'kind'>;
  /** HTTP status, or `Status.code` when the failure arrived inside a watch stream. */
  readonly status: number;
  /** `Status.reason`, e.g. `Conflict`, `Expired`. Empty when the server sent no reason. */
  readonly reason: string;
  /** The `details` of the Status as the server sent them, with quoted values removed from `causes`. */
  readonly details: StatusDetails;
  /** Milliseconds for which the client should wait according to the server, at most 60 s. */
  readonly retryAfterMs: number | undefined;

  /**
   * @param status - the Status that the server sent.
   * @param answer - `httpStatus` and `retryAfterMs` of the HTTP answer, if there was one.
   */
  constructor(
    status: Omit<Status, 'kind'>,
    answer: { readonly httpStatus?: number; readonly retryAfterMs?: number | undefined } = {},
  ) {
    const code = answer.httpStatus ?? status.code ?? 0;
    const reason = boundedWord(status.reason);
    const heading = reason === '' ? `${code}` : `${code} ${reason}`;
    const shown = withoutValues(readable(status), code);
    super(`${heading}: ${boundedText(shown.message ?? 'no message')}`, {
      code: 'API_STATUS',
      layer: 'api-server',
      context: { status: code, reason },
    });
    this.status = code;
    this.reason = reason;
    this.details = boundedDetails(shown.details);
    this.#answered = status;
    const askedMs = Math.max(
      answer.retryAfterMs ?? 0,
      (Number(status.details?.retryAfterSeconds) || 0) * 1_000,
    );
    this.retryAfterMs = askedMs > 0 ? Math.min(askedMs, MAX_RETRY_AFTER_MS) : undefined;
  }

  /**
   * The Status including the values that the server quotes. A value may be a Secret's: do not log it, and
   * do not copy it to a condition or an Event.
   */
  statusWithValues(): Omit<Status, 'kind'> {
    return this.#answered;
  }
}

/** Cuts a reason to 128 characters. The reasons of Kubernetes are single words. */
function boundedWord(reason: unknown): string {
  return typeof reason === 'string' ? reason.slice(0, MAX_REASON_CHARS) : '';
}

const MAX_REASON_CHARS = 128;

/**
 * Maximum number of characters of a message that are read. This is more than any server writes about one
 * object, and few enough to search for quoted values.
 */
const MAX_READ_CHARS = 16 * 1024;

/**
 * Cuts the messages in a Status to `MAX_READ_CHARS`. Only the end is removed, so that a quoted value that
 * loses its end can still be recognised and hidden.
 */
function readable(status: Omit<Status, 'kind'>): Omit<Status, 'kind'> {
  const { message, details, ...rest } = status;
  const causes = typeof details === 'object' && details !== null ? details.causes : undefined;
  return {
    ...rest,
    ...(typeof message === 'string' && { message: message.slice(0, MAX_READ_CHARS) }),
    ...(typeof details === 'object' &&
      details !== null && {
        details: Array.isArray(causes)
          ? { ...details, causes: causes.map(readableCause) }
          : details,
      }),
  };
}

function readableCause(cause: StatusCause): StatusCause {
  if (typeof cause !== 'object' || cause === null || typeof cause.message !== 'string')
    return cause;
  return { ...cause, message: cause.message.slice(0, MAX_READ_CHARS) };
}

/** The strings in each cause are limited separately, because each cause is a message. */
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

/** True when the requested resourceVersion is no longer served, so that the caller must list again. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone')
  );
}

/**
 * True when a write conflicts with the state on the server: 409 with the reason `Conflict`.
 * `isVersionConflict` recognises a lost race, which reading the object again resolves. `isUidMismatch`
 * recognises an object that is gone, and `isApplyConflict` a field that belongs to another manager. False if
 * the object already exists.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'Conflict';
}

/** True when an object with the same name already exists. */
export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists';
}

/**
 * True when the server has not reached the requested resourceVersion yet. Recognises all variants of this
 * answer.
 */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const causes = error.details.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  const texts = [error.message, ...causes.map((cause) => cause.message ?? '')];
  return texts.some((text) => text.includes('Too large resource version'));
}

/** True when a disruption budget refused an eviction. Try again later. */
export function isDisruptionRefused(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 429 &&
    (error.details.causes ?? []).some((cause) => cause.reason === 'DisruptionBudget')
  );
}
