import { type ErrorContext, OperatorError } from '../core/errors.ts';
import type { ProgramUsage } from './program-usage.ts';

/**
 * Why a program has no result. A program that ends by itself is not an error, whatever its exit code.
 *
 * - `not-started`: the system did not start it. The message says what to change.
 * - `timeout`: it was ended at its time limit.
 * - `output-limit`: it was ended because it wrote too much.
 * - `survivors`: processes that it left behind could not be ended.
 */
export type ProgramErrorReason = 'not-started' | 'timeout' | 'output-limit' | 'survivors';

/**
 * A program could not be started, or exceeded a limit. All its processes have ended, except if the reason is
 * `survivors`.
 */
export class ProgramError extends OperatorError {
  override readonly name = 'ProgramError';
  readonly reason: ProgramErrorReason;
  /** Resources that the program used before it was ended. Undefined if it was not started. */
  readonly usage: ProgramUsage | undefined;

  constructor(
    message: string,
    {
      reason,
      usage,
      context = {},
      ...options
    }: ErrorOptions & {
      readonly reason: ProgramErrorReason;
      readonly usage?: ProgramUsage;
      readonly context?: ErrorContext;
    },
  ) {
    super(message, {
      ...options,
      code: 'PROGRAM',
      layer: 'user-code',
      context: { reason, ...context },
    });
    this.reason = reason;
    this.usage = usage;
  }
}
