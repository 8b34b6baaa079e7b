/** `--log-format` and `--log-level` → settings of the toolkit. */
import type { Settings } from 'chancery/low-level';
import type { ArgumentValues } from './arguments.ts';

type LogLevel = Settings['logLevel'];

/** The levels of the original. Three of them have no counterpart: the nearest one that shows as much is taken. */
const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['warning', 'warn'],
  ['warn', 'warn'],
  ['error', 'error'],
  ['fatal', 'error'],
  ['panic', 'error'],
]);

const WITHOUT_COUNTERPART: ReadonlySet<string> = new Set(['trace', 'fatal', 'panic']);

/**
 * The settings that the two flags change; what they do not say stays as the environment has it. An unknown word
 * is a warning and not an error, and with an unknown format the level is not applied either, as in the original.
 */
export function logSettingsOf(
  values: ArgumentValues,
  warn: (sentence: string) => void,
): Partial<Pick<Settings, 'logFormat' | 'logLevel'>> {
  const format = values['log-format'] ?? '';
  if (format !== '' && format !== 'json') {
    warn(
      `--log-format accepts json, not ${JSON.stringify(format)}: it is ignored, and --log-level with it`,
    );
    return {};
  }
  return {
    ...(format === 'json' && { logFormat: 'json' as const }),
    ...levelOf(values['log-level'] ?? '', warn),
  };
}

function levelOf(
  text: string,
  warn: (sentence: string) => void,
): Partial<Pick<Settings, 'logLevel'>> {
  if (text === '') return {};
  const logLevel = LEVELS.get(text.toLowerCase());
  if (logLevel === undefined) {
    const words = 'trace, debug, info, warning, error, fatal and panic';
    warn(`--log-level accepts ${words}, not ${JSON.stringify(text)}: it is ignored`);
    return {};
  }
  if (WITHOUT_COUNTERPART.has(text.toLowerCase())) {
    warn(`--log-level=${text.toLowerCase()} has no counterpart: the level is ${logLevel}`);
  }
  return { logLevel };
}
