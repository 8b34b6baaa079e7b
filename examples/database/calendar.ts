/**
 * When a schedule is due, in a time zone. A time that the clock leaves out is due when the clock has
 * moved on, and one that it shows twice is due once: a nightly backup is taken once every night. What
 * is due every hour follows the hours that pass.
 */
import type { CronSchedule } from './cron.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** From one 29th of February to the next, over a century that has none. */
const MAX_DAYS = 8 * 366;

export class Calendar {
  readonly #schedule: CronSchedule;
  readonly #format: Intl.DateTimeFormat;

  /** @throws RangeError for a time zone that there is not. */
  constructor(schedule: CronSchedule, timeZone: string) {
    this.#schedule = schedule;
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  /** The first time after `ms`; undefined when there is none, as on 30 February. */
  nextAfter(ms: number): number | undefined {
    const today = this.#dayOf(ms);
    for (let days = 0; days <= MAX_DAYS; days++) {
      const due = this.#dueOn(today + days * DAY_MS).find((at) => at > ms);
      if (due !== undefined) return due;
    }
    return undefined;
  }

  /** The last time that is after `since`, and not after `ms`. */
  lastWithin(since: number, ms: number): number | undefined {
    for (let day = this.#dayOf(ms); day >= this.#dayOf(since) - DAY_MS; day -= DAY_MS) {
      const due = this.#dueOn(day).findLast((at) => at <= ms);
      if (due !== undefined) return due > since ? due : undefined;
    }
    return undefined;
  }

  /** The local day of `ms`, as the midnight that UTC would give it. */
  #dayOf(ms: number): number {
    return Math.floor((ms + this.#offsetMs(ms)) / DAY_MS) * DAY_MS;
  }

  #dueOn(day: number): readonly number[] {
    const date = new Date(day);
    const { minutes, isHourly, isDue } = this.#schedule;
    if (!isDue(date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay())) return [];
    const [before, after] = [this.#offsetMs(day - DAY_MS), this.#offsetMs(day + 2 * DAY_MS)];
    if (before === after) return minutes.map((minute) => day + minute * MINUTE_MS - before);
    const times = minutes.flatMap((minute) =>
      this.#instants(day + minute * MINUTE_MS, before, after, isHourly),
    );
    return [...new Set(times)].toSorted((a, b) => a - b);
  }

  /** Of a local time near a change of the clock. */
  #instants(local: number, before: number, after: number, isHourly: boolean): readonly number[] {
    const [early, late] = [local - before, local - after];
    const real = [early, late].filter((at) => at + this.#offsetMs(at) === local);
    if (isHourly) return real;
    const [first] = real.toSorted((a, b) => a - b);
    return [first ?? this.#changeWithin(late, early)];
  }

  /** The moment of the change: the first at which the later offset holds. */
  #changeWithin(from: number, to: number): number {
    const target = this.#offsetMs(to);
    let [low, high] = [from, to];
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (this.#offsetMs(middle) === target) high = middle;
      else low = middle;
    }
    return high;
  }

  /** How far local clocks are ahead of UTC. */
  #offsetMs(ms: number): number {
    const text = this.#format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value;
    const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(text ?? '') ?? [];
    const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
    return sign === '-' ? -offset : offset;
  }
}
