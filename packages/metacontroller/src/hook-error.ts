import { OperatorError } from 'chancery';
import type { ErrorContext } from 'chancery/internal';

/** The reason why a hook could not be used. It becomes the reason of the condition. */
export type HookErrorReason =
  | 'RefusedAddress' // the URL or a redirect names the ambassador or this process
  | 'Unreachable' // no connection, or the connection broke before an answer
  | 'Timeout'
  | 'TooManyRequests' // 429: not the hook's fault, no Event
  | 'BadStatus' // another status than 200
  | 'TooLarge'
  | 'ProgramFailed'
  | 'ModuleFailed'
  | 'MissingCredentials' // a Secret or a ConfigMap of the hook, or its key
  | 'InvalidAnswer';

/**
 * A hook failed, or its answer was unusable. Nothing is written for the parent, and its key is
 * retried.
 */
export class HookError extends OperatorError {
  override readonly name = 'HookError';
  readonly reason: HookErrorReason;
  /** Minimum milliseconds before the next call, as the answer of the hook requests. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    {
      reason,
      retryAfterMs,
      context,
      cause,
    }: {
      readonly reason: HookErrorReason;
      readonly retryAfterMs?: number;
      readonly context?: ErrorContext;
      readonly cause?: unknown;
    },
  ) {
    super(message, {
      code: 'USER_CODE',
      layer: 'user-code',
      ...(cause !== undefined && { cause }),
      context: { reason, ...context },
    });
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
