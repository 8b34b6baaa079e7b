import { isUidMismatch } from './conflict.ts';
import { ApiError } from './status.ts';

/** What server-side apply says of a field that the schema of the installed definition does not have. */
const UNDECLARED_TEXT = 'field not declared in schema';

/** True for the text of a 500 that `isUndeclaredField` is about. */
export function isUndeclaredText(message: string): boolean {
  return message.includes(UNDECLARED_TEXT);
}

/**
 * True when the API server has judged what was sent, and refuses it: 422. The same will be refused again
 * until it is changed. An object that another one has followed, which is 422 as well, is none:
 * `isUidMismatch`.
 */
export function isInvalid(error: unknown): boolean {
  return error instanceof ApiError && error.status === 422 && !isUidMismatch(error);
}

/**
 * True when a field was applied that the installed definition of the kind does not know: it is older
 * than what applies, or the field is misspelt. Server-side apply takes all or nothing, so that nothing
 * was written. The message of the error names the field. Once the definition is upgraded, the same is
 * taken.
 */
export function isUndeclaredField(error: unknown): boolean {
  // An internal error to the server, which gives no reason.
  return error instanceof ApiError && error.status === 500 && isUndeclaredText(error.message);
}
