import {
  ConfigurationError,
  LeadershipLostError,
  type OperatorError,
  UnsafeSetupError,
} from '../core/errors.ts';
import type { ExitCode } from './command.ts';

/** The exit code of a command that fails with `error`. */
export function exitCodeOf(error: OperatorError): ExitCode {
  if (error instanceof LeadershipLostError || error instanceof UnsafeSetupError) return 3;
  return error instanceof ConfigurationError ? 2 : 1;
}
