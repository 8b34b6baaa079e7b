import { connect } from '../../client/connection.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { visibleText } from '../../core/text/visible-text.ts';
import { settingsFrom } from '../../manager/settings/settings.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { migrateStorage } from './migrate-storage.ts';
import type { MIGRATE } from './table.ts';

/**
 * `chancery migrate`: makes the API server store the objects of a definition in its storage
 * version.
 */
export async function migrate(
  { values, words }: GivenTo<typeof MIGRATE>,
  io: Io,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  const [definition, ...more] = words;
  if (definition === undefined || more.length > 0 || !/^[^.]+\../.test(definition)) {
    throw new ConfigurationError(
      'expected the name of one definition, such as websites.example.dev',
    );
  }
  const connection = connect(values.server ?? settingsFrom(io.env).apiUrl, { clock });
  try {
    await migrateStorage(definition, {
      client: connection.clientFor('chancery-migrate'),
      transport: connection.transport,
      clock,
      signal: io.signal,
      print: (line) => io.stdout.write(visibleText(`${line}\n`)),
    });
    return 0;
  } catch (error) {
    if (!io.signal.aborted) throw error;
    io.stderr.write('chancery migrate: stopped; start it again to go on\n');
    return 1;
  } finally {
    await connection.close();
  }
}
