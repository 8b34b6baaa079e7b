/** When reboots may begin: a time that comes every day, or once a week, in a time zone. */
import type { TimeZone } from './time-zone.ts';

export interface RebootWindow {
  isOpen(nowMs: number): boolean;
  /** When it opens next, later than `nowMs`; `Infinity` when it never closes. */
  opensAfter(nowMs: number): number;
}

export const ALWAYS_OPEN: RebootWindow = {
  isOpen: () => true,
  opensAfter: () => Number.POSITIVE_INFINITY,
};

export interface WindowStart {
  /** 0 is Sunday; undefined for every day. */
  readonly weekday: number | undefined;
  /** After midnight. */
  readonly wallMs: number;
}

const DAY_MS = 86_400_000;
const WEEKDAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** 1970 began with a Thursday. */
const FIRST_WEEKDAY = 4;

/** `14:00`, or `Mon 14:00`; undefined for other text. */
export function parseStart(text: string): WindowStart | undefined {
  const found = /^(?:([a-z]+)\s+)?(\d{1,2}):(\d{1,2})$/i.exec(text.trim());
  if (found === null) return undefined;
  const [, day, hour, minute] = found;
  const weekday = day === undefined ? undefined : WEEKDAYS.indexOf(day.toLowerCase());
  const isTime = Number(hour) < 24 && Number(minute) < 60;
  if (!isTime || weekday === -1) return undefined;
  return { weekday, wallMs: (Number(hour) * 60 + Number(minute)) * 60_000 };
}

/** After how long it comes again; a change of the clocks apart. */
export function periodMs({ weekday }: WindowStart): number {
  return weekday === undefined ? DAY_MS : 7 * DAY_MS;
}

/**
 * A window that begins when the clocks show `start`, and stays open for `lengthMs`, over midnight and over
 * the end of the week, too. That is time that passes: on the day on which the clocks are put back a window
 * of 2 h is open for 2 h.
 *
 * @param lengthMs - less than `periodMs(start)`.
 */
export function rebootWindow(start: WindowStart, lengthMs: number, zone: TimeZone): RebootWindow {
  return {
    isOpen: (nowMs) =>
      startsAround(nowMs, start, zone).some((at) => at <= nowMs && nowMs < at + lengthMs),
    opensAfter: (nowMs) => Math.min(...startsAround(nowMs, start, zone).filter((at) => at > nowMs)),
  };
}

/** Every start from more than a week before to more than a week after. */
function startsAround(nowMs: number, { weekday, wallMs }: WindowStart, zone: TimeZone): number[] {
  const today = Math.floor(zone.wallAt(nowMs) / DAY_MS);
  const days = Array.from({ length: 17 }, (_, index) => today - 8 + index);
  return days
    .filter((day) => weekday === undefined || (day + FIRST_WEEKDAY) % 7 === weekday)
    .map((day) => zone.instantAt(day * DAY_MS + wallMs));
}
