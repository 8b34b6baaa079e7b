import { OperatorError } from '../../core/errors.ts';
import { ApiError } from '../../model/status.ts';

/**
 * A description of an error without secrets, because everyone in the Pod's network can open the status page.
 * It contains the class, and for an error of the toolkit also code and layer. For an answer of the API server
 * it contains status and reason.
 *
 * Messages are omitted, even the messages of the toolkit's errors: the API server and the ambassador quote
 * values in them, and a reconciler writes its own message into a `TerminalError`. The log has the messages.
 */
export function errorWords(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${word(error.reason, '')}`.trim();
  if (!(error instanceof Error)) return typeof error;
  const name = word(error.name, 'Error');
  return error instanceof OperatorError ? `${name} ${error.code} (${error.layer})` : name;
}

/** Names and reasons are normally single words, but user code and webhooks may use any string. */
function word(text: unknown, otherwise: string): string {
  return typeof text === 'string' && /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(text) ? text : otherwise;
}
