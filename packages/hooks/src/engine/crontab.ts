import { ConfigurationError } from 'chancery';
import { parseGoDuration } from 'chancery/internal';
import { Cron } from 'croner';

/** A parsed schedule. */
export interface Crontab {
  /**
   * The next time of the schedule after the time `after`. Undefined when there is none, such as for
   * 30 February.
   */
  next(after: Date): Date | undefined;
}

/** A field of a crontab with its range of numbers. */
interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names for the numbers. The first name stands for `min`. */
  readonly words?: readonly string[];
}

const SECOND: CronField = { name: 'second', min: 0, max: 59 };

const FIELDS: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  {
    name: 'month',
    min: 1,
    max: 12,
    words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  {
    name: 'day of the week',
    min: 0,
    max: 6,
    words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  },
];

const NAMED: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const MIN_INTERVAL_MS = 1_000;

/**
 * Parses a schedule: 5 fields, or 6 fields with the seconds first, or a name such as `@hourly`, or
 * `@every 90s`. A prefix `TZ=Europe/Berlin` or `CRON_TZ=` sets the time zone. Default: the time
 * zone of the process.
 *
 * The fields mean the same as in robfig/cron, which shell-operator uses. A day matches if the day
 * of the month or the day of the week matches. If one of them is `*`, the other alone decides.
 * `@every` counts whole seconds from the given time.
 *
 * Unlike in robfig/cron, a time of day that the clocks skip occurs right after the skip, and a time
 * of day that occurs twice counts only the first time.
 *
 * @throws ConfigurationError `CONFIG` when the text is not a schedule, with the invalid field.
 */
export function parseCrontab(text: string): Crontab {
  const [, timezone, spec = ''] = /^\s*(?:(?:CRON_)?TZ=(\S*)\s+)?(.*?)\s*$/s.exec(text) ?? [];
  if (timezone !== undefined) requireZone(timezone);
  const every = /^@every\s+(.*)$/s.exec(spec)?.[1];
  if (every !== undefined) return interval(every);
  const known = NAMED[spec];
  if (known === undefined && spec.startsWith('@')) {
    throw refused(
      text,
      `expected @every and a duration, or one of ${Object.keys(NAMED).join(', ')}`,
    );
  }
  const pattern = patternOf((known ?? spec).split(/\s+/), text);
  const cron = new Cron(pattern, { paused: true, ...(timezone !== undefined && { timezone }) });
  return { next: (after) => cron.nextRun(after) ?? undefined };
}

function requireZone(timezone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch (error) {
    throw new ConfigurationError(
      `unknown time zone ${shown(timezone)}: expected a name such as TZ=Europe/Berlin`,
      { cause: error },
    );
  }
}

function interval(duration: string): Crontab {
  const ms = parseGoDuration(duration);
  if (ms === undefined) {
    throw new ConfigurationError(
      `@every needs a duration such as 1h30m or 90s, got ${shown(duration)}`,
    );
  }
  const whole = Math.max(MIN_INTERVAL_MS, ms - (ms % 1_000));
  return { next: (after) => new Date(Math.floor(after.getTime() / 1_000) * 1_000 + whole) };
}

/**
 * The pattern with every number written out, so that only this file decides what the fields mean.
 */
function patternOf(words: readonly string[], text: string): string {
  const fields = words.length === FIELDS.length + 1 ? [SECOND, ...FIELDS] : FIELDS;
  if (words.length !== fields.length) {
    throw refused(text, `expected 5 fields, or 6 with the seconds first, got ${words.length}`);
  }
  const parts = fields.map((field, at) => partOf(field, words[at] ?? '', text));
  return fields.length === FIELDS.length ? ['0', ...parts].join(' ') : parts.join(' ');
}

/**
 * One field with every number written out. `*` is kept, because it decides how days of the month
 * and days of the week are combined.
 */
function partOf(field: CronField, word: string, text: string): string {
  const ranges = word.split(',').map((range) => numbersOf(field, range, text));
  if (ranges.includes('*')) return '*';
  return [...new Set(ranges.flat())].join(',');
}

function numbersOf(field: CronField, range: string, text: string): '*' | readonly number[] {
  const { name, min, max } = field;
  const wrong = (why: string): ConfigurationError =>
    refused(text, `${name} ${shown(range)}: ${why}`);
  const [, all, from = '', to, steps] =
    /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(range) ?? [];
  if (all === undefined && from === '') throw wrong('expected *, 5, 1-5, */5 or 1-5/2');
  const step = steps === undefined ? 1 : Number(steps);
  if (step === 0) throw wrong('the step must not be 0');
  if (all !== undefined && step === 1) return '*';
  const first = all === undefined ? numberOf(field, from) : min;
  // `5/15` means every 15th number from 5 to the end of the range.
  const only = steps === undefined ? first : max;
  const last = to === undefined ? (all === undefined ? only : max) : numberOf(field, to);
  if (first === undefined || last === undefined)
    throw wrong(`expected numbers from ${min} to ${max}`);
  if (first > last) throw wrong('begins after its end');
  const count = Math.floor((last - first) / step) + 1;
  return Array.from({ length: count }, (_, at) => first + at * step);
}

/** The number that `text` stands for. Undefined when it is outside the range of the field. */
function numberOf({ min, max, words = [] }: CronField, text: string): number | undefined {
  const at = words.indexOf(text.toLowerCase());
  const number = at >= 0 ? min + at : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}

function refused(text: string, why: string): ConfigurationError {
  return new ConfigurationError(`the crontab ${shown(text)} cannot be used: ${why}`);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
