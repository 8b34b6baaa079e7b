/** What the operator is told, by the environment variables that the original knows and three more. */
import { ConfigurationError } from 'chancery';
import { parseDuration } from './duration.ts';
import { ALWAYS_OPEN, parseStart, periodMs, type RebootWindow, rebootWindow } from './window.ts';

export interface RebootSettings {
  /** Nodes that may reboot at a time. */
  readonly maxRebooting: number;
  /** How long each phase of a reboot may take before the place goes to another Node; 0 for ever. */
  readonly rebootTimeoutMs: number;
  readonly window: RebootWindow;
  /** Annotations that must be `true` before a Node may reboot. */
  readonly beforeReboot: readonly string[];
  /** Annotations that must be `true` before a reboot has come to its end. */
  readonly afterReboot: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'UPDATE_OPERATOR_';
const HAS_BOTH = 'is missing: a window has a start and a length';

/**
 * | variable | meaning | default |
 * |---|---|---|
 * | `UPDATE_OPERATOR_MAX_REBOOTING` | Nodes at a time | 1 |
 * | `UPDATE_OPERATOR_REBOOT_TIMEOUT` | for each phase, `45m`; `0` for none | `1h` |
 * | `UPDATE_OPERATOR_REBOOT_WINDOW_START` | `14:00`, `Mon 14:00` | always |
 * | `UPDATE_OPERATOR_REBOOT_WINDOW_LENGTH` | `1h30m` | – |
 * | `UPDATE_OPERATOR_REBOOT_WINDOW_TIME_ZONE` | `Europe/Berlin` | `UTC` |
 * | `UPDATE_OPERATOR_BEFORE_REBOOT_ANNOTATIONS` | `a,b` | none |
 * | `UPDATE_OPERATOR_AFTER_REBOOT_ANNOTATIONS` | `a,b` | none |
 *
 * @throws ConfigurationError `CONFIG` that names the variable.
 */
export function rebootSettingsFrom(environment: Environment): RebootSettings {
  const read = (name: string): string => environment[PREFIX + name]?.trim() ?? '';
  return {
    maxRebooting: maxRebootingFrom(read('MAX_REBOOTING')),
    rebootTimeoutMs: timeoutFrom(read('REBOOT_TIMEOUT')),
    window: windowFrom(read),
    beforeReboot: namesFrom(read, 'BEFORE_REBOOT_ANNOTATIONS'),
    afterReboot: namesFrom(read, 'AFTER_REBOOT_ANNOTATIONS'),
  };
}

function maxRebootingFrom(text: string): number {
  if (text === '') return 1;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw unusable('MAX_REBOOTING', 'must be a whole number above 0', text);
}

function timeoutFrom(text: string): number {
  const timeoutMs = parseDuration(text === '' ? '1h' : text);
  if (timeoutMs !== undefined) return timeoutMs;
  throw unusable('REBOOT_TIMEOUT', 'must be a time as 45m, or 0 for none', text);
}

function windowFrom(read: (name: string) => string): RebootWindow {
  const startText = read('REBOOT_WINDOW_START');
  const lengthText = read('REBOOT_WINDOW_LENGTH');
  const zoneText = read('REBOOT_WINDOW_TIME_ZONE');
  if (startText === '' && lengthText === '' && zoneText === '') return ALWAYS_OPEN;
  if (startText === '') throw unusable('REBOOT_WINDOW_START', HAS_BOTH, startText);
  if (lengthText === '') throw unusable('REBOOT_WINDOW_LENGTH', HAS_BOTH, lengthText);
  const start = parseStart(startText);
  if (start === undefined) {
    throw unusable('REBOOT_WINDOW_START', 'must be a time as 14:00 or Mon 14:00', startText);
  }
  const lengthMs = parseDuration(lengthText) ?? 0;
  if (lengthMs <= 0 || lengthMs >= periodMs(start)) {
    const why = 'must be a time as 1h30m, less than a day, or than a week with a weekday';
    throw unusable('REBOOT_WINDOW_LENGTH', why, lengthText);
  }
  try {
    return rebootWindow(start, lengthMs, zoneText === '' ? 'UTC' : zoneText);
  } catch (cause) {
    const why = 'must be a name of the IANA database as Europe/Berlin';
    throw unusable('REBOOT_WINDOW_TIME_ZONE', why, zoneText, cause);
  }
}

/** As the API server has it, so that no write is refused for a name. */
const QUALIFIED_NAME =
  /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

function namesFrom(read: (name: string) => string, name: string): readonly string[] {
  const names = read(name)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  for (const each of names) {
    if (!QUALIFIED_NAME.test(each)) throw unusable(name, 'must be names of annotations', each);
  }
  return [...new Set(names)];
}

function unusable(name: string, why: string, value: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`${PREFIX}${name} ${why}`, { context: { value }, cause });
}
