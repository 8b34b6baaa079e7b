/**
 * When a schedule is due, in a time zone. What has a time of day, as a nightly backup, comes once a day:
 * when the clock leaves the time out, as soon as it has moved on; when it shows it twice, the first time.
 * What comes every so often (a field with `*` or a step in it) follows the hours that pass.
 */
import { Cron } from 'croner';

export class Calendar {
  readonly #cron: Cron;

  /** @throws Error for what is no schedule of five fields and no name like `@daily`, or no time zone. */
  constructor(schedule: string, timeZone: string) {
    new Intl.DateTimeFormat('en', { timeZone }); // croner would look at it later, in the reconcile
    // Without a function to call it has no timer either: what now is, the context's clock says.
    this.#cron = new Cron(schedule, {
      timezone: timeZone,
      mode: '5-part',
      fixedTimeRule: 'no-wildcard',
    });
    if (this.#cron.getPattern() === undefined) throw new Error(`${schedule} is a single date`);
  }

  /** The first time after `ms`; undefined when there is none, as on 30 February. */
  nextAfter(ms: number): number | undefined {
    return this.#cron.nextRun(new Date(ms))?.getTime();
  }

  /** The last time that is after `since`, and not after `ms`. */
  lastWithin(since: number, ms: number): number | undefined {
    const last = this.#cron.previousRuns(1, new Date(ms + 1))[0]?.getTime();
    return last !== undefined && last > since ? last : undefined;
  }
}
