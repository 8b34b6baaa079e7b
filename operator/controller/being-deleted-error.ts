import { type ErrorContext, OperatorError } from '../core/errors.ts';

/** Between two looks at an object that is being deleted; its end is an event where it is watched. */
const LOOK_AGAIN_MS = 5_000;

/** An object that is in the way is being deleted, and can be made, or changed, when it is gone. */
export class BeingDeletedError extends OperatorError {
  override readonly name = 'BeingDeletedError';
  /** When to look again, unless an event comes first. */
  readonly retryAfterMs: number = LOOK_AGAIN_MS;

  constructor(message: string, options: ErrorOptions & { readonly context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'BEING_DELETED', layer: 'api-server' });
  }
}
