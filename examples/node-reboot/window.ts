/** When reboots may begin: a time that comes every day, or once a week, in a time zone. */
import { ConfigurationError } from 'chancery';
import { parseDuration } from './duration.ts';
import { type TimeZone, timeZone } from './time-zone.ts';

export interface RebootWindow {
  isOpen(nowMs: number): boolean;
  /** When it opens next, later than `nowMs`; `Infinity` when it never closes. */
  opensAfter(nowMs: number): number;
}

export const ALWAYS_OPEN: RebootWindow = {
  isOpen: () => true,
  opensAfter: () => Number.POSITIVE_INFINITY,
};

export interface WindowText {
  /** `14:00`, or `Mon 14:00`. */
  readonly start: string;
  /** `1h30m`; less than the day or the week after which it comes again. */
  readonly length: string;
  readonly timeZone: string;
}

interface Start {
  /** 0 is Sunday; undefined for every day. */
  readonly weekday: number | undefined;
  /** After midnight. */
  readonly wallMs: number;
}

const DAY_MS = 86_400_000;
const WEEKDAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** 1970 began with a Thursday. */
const FIRST_WEEKDAY = 4;

/**
 * A window that begins when the clocks show `start`, and stays open for `length`, over midnight and over
 * the end of the week, too. `length` is time that passes: on the day on which the clocks are put back a
 * window of 2 h is open for 2 h.
 *
 * @throws ConfigurationError `CONFIG` that says what is wrong.
 */
export function rebootWindow(text: WindowText): RebootWindow {
  const zone = timeZone(text.timeZone);
  const start = startOf(text.start);
  const lengthMs = lengthOf(text.length, start);
  return {
    isOpen: (nowMs) =>
      startsAround(nowMs, start, zone).some((at) => at <= nowMs && nowMs < at + lengthMs),
    opensAfter: (nowMs) => Math.min(...startsAround(nowMs, start, zone).filter((at) => at > nowMs)),
  };
}

/** Every start from more than a week before to more than a week after. */
function startsAround(nowMs: number, { weekday, wallMs }: Start, zone: TimeZone): number[] {
  const today = Math.floor(zone.wallAt(nowMs) / DAY_MS);
  const days = Array.from({ length: 17 }, (_, index) => today - 8 + index);
  return days
    .filter((day) => weekday === undefined || (day + FIRST_WEEKDAY) % 7 === weekday)
    .map((day) => zone.instantAt(day * DAY_MS + wallMs));
}

function startOf(text: string): Start {
  const found = /^\s*(?:([a-z]+)\s+)?(\d{1,2}):(\d{1,2})\s*$/i.exec(text);
  const [, day, hour, minute] = found ?? [];
  const weekday = day === undefined ? undefined : WEEKDAYS.indexOf(day.toLowerCase());
  const isTime = found !== null && Number(hour) < 24 && Number(minute) < 60;
  if (isTime && weekday !== -1) {
    return { weekday, wallMs: (Number(hour) * 60 + Number(minute)) * 60_000 };
  }
  throw new ConfigurationError('the reboot window must start as 14:00 or Mon 14:00', {
    context: { start: text },
  });
}

function lengthOf(text: string, { weekday }: Start): number {
  const lengthMs = parseDuration(text.trim());
  const periodMs = weekday === undefined ? DAY_MS : 7 * DAY_MS;
  if (lengthMs !== undefined && lengthMs > 0 && lengthMs < periodMs) return lengthMs;
  throw new ConfigurationError(
    'the reboot window must have a length as 1h30m, less than a day, or than a week with a weekday',
    { context: { length: text } },
  );
}
