import { connect } from '../../client/connection.ts';
import type { Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
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
 * Runs the command that a module returns instead of controllers.
 *
 * @throws OperatorError `USER_CODE` when its result is no exit code; whatever the command throws.
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
    throw new OperatorError('the command of a module must resolve to an exit code from 0 to 255', {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { got: String(code) },
    });
  } finally {
    await connection.close();
  }
}
