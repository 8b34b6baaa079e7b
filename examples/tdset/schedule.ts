/**
 * Time of day → number of replicas. Pure: whoever asks says what time it is.
 *
 * A schedule is the 168 hours of a week, each with the window that is first to claim it. What is active,
 * what nobody claims and what two claim are all read from these.
 */
import { hourOfWeek } from './local-time.ts';
import { DAYS } from './resource.ts';

/** As in `spec.schedulingConfig`. */
export interface Window {
  readonly startTime: number;
  readonly endTime: number;
  readonly replica: number;
  readonly days?: readonly (typeof DAYS)[number][];
}

export interface Schedule {
  readonly windows: readonly Window[];
  /** By hour of the week, Monday 00:00 first: the place of its window in `windows`. */
  readonly week: readonly (number | undefined)[];
  /** The hour of the week of an instant, where the schedule is meant. */
  readonly hourAt: (ms: number) => number;
}

/** What a schedule says of an instant. */
export interface Plan {
  readonly replicas: number;
  /** Undefined where no window applies, and the default does. */
  readonly window: Window | undefined;
  /** When another window begins to apply, or none; undefined when that never happens. */
  readonly nextAtMs: number | undefined;
}

/** A schedule that cannot be kept: a reason for programs, and a sentence. */
export interface ScheduleProblem {
  readonly reason: 'EmptyWindow' | 'UnknownTimeZone';
  readonly message: string;
}

const HOURS_A_DAY = 24;

/** The schedule of `windows` on the clocks of `timeZone`, or what is wrong with it. */
export function readSchedule(
  windows: readonly Window[],
  timeZone: string,
): Schedule | ScheduleProblem {
  const empty = windows.find(({ startTime, endTime }) => startTime === endTime);
  if (empty !== undefined) {
    const message = `${windowText(empty)} ends when it starts: write 0 to 24 for a whole day`;
    return { reason: 'EmptyWindow', message };
  }
  const hourAt = hourOfWeek(timeZone);
  if (hourAt === undefined) {
    const message = `there is no time zone ${JSON.stringify(timeZone)} in the IANA database`;
    return { reason: 'UnknownTimeZone', message };
  }
  const claims = windows.map((window) => new Set(hoursOf(window)));
  const week = Array.from({ length: DAYS.length * HOURS_A_DAY }, (_, hour) => {
    const first = claims.findIndex((hours) => hours.has(hour));
    return first < 0 ? undefined : first;
  });
  return { windows, week, hourAt };
}

/** What `schedule` says at `nowMs`; `defaultReplica` where it says nothing. */
export function planAt(schedule: Schedule, defaultReplica: number, nowMs: number): Plan {
  const { windows, week, hourAt } = schedule;
  const at = week[hourAt(nowMs)];
  const window = at === undefined ? undefined : windows[at];
  const nextAtMs = nextTransition(schedule, nowMs);
  return { replicas: window?.replica ?? defaultReplica, window, nextAtMs };
}

/** Clocks stand at a full hour only at these instants: every zone is whole quarters away from UTC. */
const QUARTER_MS = 15 * 60_000;
/** A week, and another: the hour that a change to summer time leaves out may be the only one. */
const LOOK_AHEAD_MS = 15 * 24 * 3_600_000;

function nextTransition({ week, hourAt }: Schedule, nowMs: number): number | undefined {
  const present = week[hourAt(nowMs)];
  if (week.every((at) => at === present)) return undefined;
  const first = (Math.floor(nowMs / QUARTER_MS) + 1) * QUARTER_MS;
  for (let ms = first; ms <= nowMs + LOOK_AHEAD_MS; ms += QUARTER_MS) {
    if (week[hourAt(ms)] !== present) return ms;
  }
  return undefined;
}

/** Hours that no window claims, in words: `00:00-01:00`, with the day where the days differ. */
export function uncoveredHours({ week }: Schedule): readonly string[] {
  const ofDay = DAYS.map((_, day) => {
    const hours = week.slice(day * HOURS_A_DAY, (day + 1) * HOURS_A_DAY);
    return rangesOf(hours.map((at) => at === undefined));
  });
  const [monday = []] = ofDay;
  if (ofDay.every((ranges) => ranges.join() === monday.join())) return monday;
  return DAYS.flatMap((day, at) => (ofDay[at] ?? []).map((range) => `${day} ${range}`));
}

/** Pairs of windows that claim the same hour, in words; the first of each pair wins. */
export function overlaps({ windows }: Schedule): readonly string[] {
  // Of one window more than a week has hours, two claim the same: no list is too long for this.
  const compared = windows.slice(0, DAYS.length * HOURS_A_DAY + 1);
  const claims = compared.map((window) => ({ window, hours: hoursOf(window) }));
  return claims.flatMap(({ window, hours }, at) => {
    const own = new Set(hours);
    const later = claims.slice(at + 1).filter((other) => other.hours.some((hour) => own.has(hour)));
    return later.map((other) => `${windowText(window)} and ${windowText(other.window)}`);
  });
}

/** `09:00-19:00`, or `Sat,Sun 09:00-19:00`. */
export function windowText({ startTime, endTime, days }: Window): string {
  const hours = `${hourText(startTime)}-${hourText(endTime)}`;
  return days === undefined ? hours : `${days.join()} ${hours}`;
}

/** The hours of the week that `window` claims: on each of its days, and over midnight. */
function hoursOf({ startTime, endTime, days = DAYS }: Window): readonly number[] {
  const length = endTime > startTime ? endTime - startTime : endTime + HOURS_A_DAY - startTime;
  return days.flatMap((day) =>
    Array.from({ length }, (_, offset) => {
      const hour = DAYS.indexOf(day) * HOURS_A_DAY + startTime + offset;
      return hour % (DAYS.length * HOURS_A_DAY);
    }),
  );
}

function rangesOf(hours: readonly boolean[]): readonly string[] {
  const starts = hours.flatMap((isIn, at) => (isIn && hours[at - 1] !== true ? [at] : []));
  return starts.map((start) => {
    const length = hours.slice(start).indexOf(false);
    return `${hourText(start)}-${hourText(length < 0 ? hours.length : start + length)}`;
  });
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}
