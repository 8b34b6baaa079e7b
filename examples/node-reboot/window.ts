/**
 * When reboots may begin: a time that comes every day, or once a week, in a time zone. Where the clocks
 * leave the time out the window begins when they have moved on, and where they show it twice, the first time.
 */
import { Cron } from 'croner';

export interface RebootWindow {
  isOpen(nowMs: number): boolean;
  /** When it opens next, later than `nowMs`. */
  opensAfter(nowMs: number): number;
}

export const ALWAYS_OPEN: RebootWindow = {
  isOpen: () => true,
  opensAfter: () => Number.POSITIVE_INFINITY,
};

export interface WindowStart {
  readonly hour: number;
  readonly minute: number;
  /** 0 is Sunday; undefined for every day. */
  readonly weekday: number | undefined;
}

const DAY_MS = 86_400_000;
const WEEKDAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** `14:00`, or `Mon 14:00`; undefined for other text. */
export function parseStart(text: string): WindowStart | undefined {
  const found = /^(?:([a-z]+)\s+)?(\d{1,2}):(\d{1,2})$/i.exec(text.trim());
  if (found === null) return undefined;
  const [hour, minute] = [Number(found[2]), Number(found[3])];
  const weekday = found[1] === undefined ? undefined : WEEKDAYS.indexOf(found[1].toLowerCase());
  return hour < 24 && minute < 60 && weekday !== -1 ? { hour, minute, weekday } : undefined;
}

/** After how long it comes again; a change of the clocks apart. */
export function periodMs({ weekday }: WindowStart): number {
  return weekday === undefined ? DAY_MS : 7 * DAY_MS;
}

/**
 * A window that begins when the clocks of `timeZone` show `start`, and stays open for `lengthMs`, over
 * midnight and over the end of the week, too. That is time that passes: on the day on which the clocks are
 * put back a window of 2 h is open for 2 h.
 *
 * @param lengthMs - less than `periodMs(start)`.
 * @param timeZone - as in the IANA database: `Europe/Berlin`, `UTC`.
 * @throws RangeError when there is no such time zone.
 */
export function rebootWindow(
  { hour, minute, weekday }: WindowStart,
  lengthMs: number,
  timeZone: string,
): RebootWindow {
  new Intl.DateTimeFormat('en', { timeZone }); // croner would look at it later, in a reconcile
  // Without a function to call it has no timer either: what now is, the context's clock says.
  const starts = new Cron(`${minute} ${hour} * * ${weekday ?? '*'}`, { timezone: timeZone });
  return {
    isOpen: (nowMs) => {
      const last = starts.previousRuns(1, new Date(nowMs + 1))[0]; // one at `nowMs` counts
      return last !== undefined && nowMs < last.getTime() + lengthMs;
    },
    opensAfter: (nowMs) => starts.nextRun(new Date(nowMs))?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}
