/** The five fields of a schedule, and on which days and at which minutes of a day it is due. */

export interface CronSchedule {
  /** Every hour of the day: what such a schedule means when the clock is changed is another thing. */
  readonly isHourly: boolean;
  /** Minutes since midnight, in order. */
  readonly minutes: readonly number[];
  /** @param month - 1 to 12. @param weekday - 0 is Sunday. */
  isDue(day: number, month: number, weekday: number): boolean;
}

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');

/** @throws Error that says what is wrong with `text`. */
export function parseCron(text: string): CronSchedule {
  const fields = (MACROS[text.trim()] ?? text.trim()).split(/\s+/);
  if (fields.length !== 5)
    throw new Error(`a schedule has five fields, and this has ${fields.length}`);
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month, 1, 12, MONTHS);
  const weekdays = new Set([...parseField(weekday, 0, 7, DAYS)].map((one) => one % 7));
  // As everywhere: when both are restricted, one of the two is enough.
  const isEither = !day.startsWith('*') && !weekday.startsWith('*');
  return {
    isHourly: hours.size === 24,
    minutes: sorted(hours).flatMap((h) => sorted(minutes).map((m) => h * 60 + m)),
    isDue: (date, ofYear, ofWeek) => {
      const [byDate, byWeek] = [days.has(date), weekdays.has(ofWeek)];
      return months.has(ofYear) && (isEither ? byDate || byWeek : byDate && byWeek);
    },
  };
}

function parseField(
  text: string,
  least: number,
  most: number,
  names: readonly string[] = [],
): ReadonlySet<number> {
  const values = new Set<number>();
  const numberOf = (word: string): number => {
    const named = names.indexOf(word.toLowerCase());
    const value = named < 0 ? Number(word) : named + least;
    const isValue = /^\d+$/.test(word) || named >= 0;
    if (isValue && value >= least && value <= most) return value;
    throw new Error(`${word} is not within ${least} and ${most}`);
  };
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/([1-9]\d*))?$/.exec(part) ?? [];
    if (range === '') throw new Error(`"${part}" is no part of a schedule`);
    const [first = '', last] = range === '*' ? [String(least), String(most)] : range.split(/-(.*)/);
    const from = numberOf(first);
    const open = step === undefined ? from : most;
    const to = last === undefined ? open : numberOf(last);
    if (to < from) throw new Error(`${range} ends before it begins`);
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

const sorted = (values: ReadonlySet<number>): readonly number[] =>
  [...values].toSorted((a, b) => a - b);
