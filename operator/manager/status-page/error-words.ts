import { OperatorError } from '../../core/errors.ts';
import { ApiError } from '../../model/status.ts';

/**
 * An error in words without secrets, because the status page is open to the Pod's network: the
 * class, and of the toolkit's errors code and layer; of an answer of the API server status and reason.
 *
 * Messages are left out, those of the toolkit's classes, too: the API server and the ambassador quote
 * values in them, and a reconciler writes its own into a `TerminalError`. The log has them.
 */
export function errorWords(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${word(error.reason, '')}`.trim();
  if (!(error instanceof Error)) return typeof error;
  const name = word(error.name, 'Error');
  return error instanceof OperatorError ? `${name} ${error.code} (${error.layer})` : name;
}

/** Names and reasons are words, but user code and webhooks may put any text there. */
function word(text: unknown, otherwise: string): string {
  return typeof text === 'string' && /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(text) ? text : otherwise;
}
