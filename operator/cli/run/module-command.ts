import { connect } from '../../client/connection.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import type { Logger } from '../../manager/observe/logger.ts';
import { connectOptions } from '../../manager/settings/connect-options.ts';
import type { Settings } from '../../manager/settings/settings.ts';
import type { ProgramParts } from '../../manager/with-arguments.ts';
import type { ExitCode, Io } from '../command.ts';

interface Surroundings {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly io: Io;
}

/**
 * Runs the command that a module returns instead of controllers. A command that rejects after it
 * was asked to stop has not failed.
 *
 * @throws OperatorError `USER_CODE` when the command throws an error that is not ours, or resolves
 * to something other than an exit code.
 */
export async function runModuleCommand(
  command: NonNullable<ProgramParts['command']>,
  { settings, logger, clock, io }: Surroundings,
): Promise<ExitCode> {
  const connection = connect(settings.apiUrl, { clock, ...connectOptions(settings, logger) });
  try {
    const { stdout, stderr, signal } = io;
    const client = connection.clientFor('chancery-command');
    const code: unknown = await command({ client, stdout, stderr, signal, clock });
    if (Number.isInteger(code) && Number(code) >= 0 && Number(code) <= 255) return code as ExitCode;
    throw wrong(`must resolve to an exit code from 0 to 255, not ${String(code)}`);
  } catch (error) {
    if (io.signal.aborted) return 0;
    if (error instanceof OperatorError) throw error;
    logger.debug({ err: error }, 'the command of a module failed');
    throw wrong(`failed: ${messageOf(error)}`, error);
  } finally {
    await connection.close();
  }
}

function wrong(problem: string, cause?: unknown): OperatorError {
  return new OperatorError(`the command of the module ${problem}`, {
    code: 'USER_CODE',
    layer: 'user-code',
    cause,
  });
}
