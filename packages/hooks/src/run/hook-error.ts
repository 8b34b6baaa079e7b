import { OperatorError } from 'chancery';
import type { ErrorContext } from 'chancery/internal';

/** Why a run of a hook failed. */
export type HookFailure =
  /** It ended with another exit code than 0. */
  | 'exit'
  /** A result file is not as the contract says. Nothing was sent. */
  | 'result'
  /** A document needs a right that the hook's rights file does not have. Nothing was sent. */
  | 'right'
  /** A document could not be applied. */
  | 'patch';

/** A run of a hook failed. Its task is tried again. */
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
