import { OperatorError } from 'chancery';
import type { ErrorContext } from 'chancery/internal';

/** The reason why a run of a hook failed. */
export type HookFailure =
  /** The hook ended with an exit code other than 0. */
  | 'exit'
  /** A result file violates the contract. Nothing was sent. */
  | 'result'
  /** A document needs a permission that is missing in the hook's rights file. Nothing was sent. */
  | 'right'
  /** A document could not be applied. */
  | 'patch';

/** A run of a hook failed. Its task is retried. */
export class HookError extends OperatorError {
  override readonly name = 'HookError';
  readonly failure: HookFailure;

  constructor(
    failure: HookFailure,
    message: string,
    options: ErrorOptions & { readonly context: ErrorContext & { readonly hook: string } },
  ) {
    super(message, { ...options, code: 'USER_CODE', layer: 'user-code' });
    this.failure = failure;
  }
}
