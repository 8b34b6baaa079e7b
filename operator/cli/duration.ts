import { ConfigurationError } from '../core/errors.ts';

const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1_000 } as const;

const MIN_MS = 1_000;
const MAX_MS = 365 * 24 * UNITS_MS.h;

/**
 * Milliseconds of `90s`, `30m`, `1h`, `1h30m`, or plain seconds. At least a second and at most a
 * year, or 0.
 *
 * @param option - names the option in the message.
 * @throws ConfigurationError `CONFIG` that says what was expected and what was found.
 */
export function parseDurationMs(option: string, text: string): number {
  const match = /^(?:(\d{1,9})|(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?)$/.exec(text);
  if (match !== null) {
    const [, seconds, h = '0', m = '0', s = '0'] = match;
    const ms = Number(h) * UNITS_MS.h + Number(m) * UNITS_MS.m + Number(seconds ?? s) * UNITS_MS.s;
    if (ms === 0 || (ms >= MIN_MS && ms <= MAX_MS)) return ms;
  }
  throw new ConfigurationError(
    `${option} must be a duration such as 90s, 30m or 1h, at most a year, or 0 for off, ` +
      `not ${JSON.stringify(text)}`,
  );
}
