import { Cron } from 'croner';

/** The times of a CronJob. */
export interface CronSchedule {
  /** The first time after `afterMs`, in milliseconds since 1970; undefined when there is none. */
  nextAfter(afterMs: number): number | undefined;
}

/**
 * Matches `@every 90s` and similar schedules, which count from the last time. Such schedules are not standard
 * cron: the cron library that Kubernetes uses adds them.
 */
const EVERY = /^@every ((?:\d+(?:\.\d+)?(?:h|m|s))+)$/;

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/**
 * Parses a schedule: five fields, or a name such as `@hourly`.
 *
 * @param timeZone - a name of the tz database. Default `Etc/UTC`, the usual zone of
 * kube-controller-manager.
 * @throws Error for an invalid schedule or time zone.
 */
export function cronSchedule(schedule: string, timeZone = 'Etc/UTC'): CronSchedule {
  const every = EVERY.exec(schedule)?.[1];
  if (every !== undefined) {
    const periodMs = periodOf(every);
    return { nextAfter: (afterMs) => afterMs + periodMs };
  }
  // The `Cron` is never started, so it has no timer. The server's clock decides when times are due.
  const cron = new Cron(schedule, {
    timezone: timeZone,
    paused: true,
    mode: schedule.startsWith('@') ? 'auto' : '5-part',
  });
  return { nextAfter: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() };
}

function periodOf(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|m|s)/g)];
  const ms = parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
  return Math.max(ms, 1_000);
}
