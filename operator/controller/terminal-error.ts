import { type ErrorContext, OperatorError } from '../core/errors.ts';

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
