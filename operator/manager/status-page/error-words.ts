import { messageOf, OperatorError } from '../../core/errors.ts';
import { ApiError } from '../../model/status.ts';

const MAX_LENGTH = 160;

/**
 * An error in words that anybody may read: the status page is open to the Pod's network. The API
 * server quotes the values that it refuses, so of its answers only code and reason are told; code of the
 * user may put anything into a message, so that one is told by its name. The log has the rest.
 */
export function errorWords(error: unknown): string {
  if (error instanceof ApiError) return clipped(`${error.status} ${error.reason}`.trim());
  if (error instanceof OperatorError) return clipped(`${error.code}: ${messageOf(error)}`);
  return clipped(error instanceof Error ? error.name : typeof error);
}

function clipped(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
}
