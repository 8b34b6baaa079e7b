import type { ConnectOptions } from '../../client/connection.ts';
import type { Log } from '../../controller/reconciler.ts';
import { boundedText } from '../../core/bounded-text.ts';
import type { Settings } from './settings.ts';

/**
 * How the clients of a manager are set up: a field that the API server does not know is an error in
 * development and in tests, elsewhere it is dropped and said; what the server warns of is logged once.
 */
export function connectOptions(
  { strictFields }: Pick<Settings, 'strictFields'>,
  log: Log,
): Pick<ConnectOptions, 'fieldValidation' | 'onWarning'> {
  return {
    fieldValidation: strictFields ? 'Strict' : 'Warn',
    onWarning: (warning) => log.warn({ warning: boundedText(warning) }, 'the API server warns'),
  };
}
