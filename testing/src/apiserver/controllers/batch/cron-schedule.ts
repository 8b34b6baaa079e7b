import { Cron } from 'croner';

/** When a CronJob is due. */
export interface CronSchedule {
  /** The first time after `afterMs`, in milliseconds since 1970; undefined when there is none. */
  nextAfter(afterMs: number): number | undefined;
}

/** `@every 90s` and the like, which count from the last time: an addition of Kubernetes' own library. */
const EVERY = /^@every ((?:\d+(?:\.\d+)?(?:h|m|s))+)$/;

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/**
 * Reads a schedule: five fields, or a name like `@hourly`.
 *
 * @param timeZone - of the tz database. Default `Etc/UTC`, as where kube-controller-manager runs.
 * @throws Error for a schedule or a time zone that is none.
 */
export function cronSchedule(schedule: string, timeZone = 'Etc/UTC'): CronSchedule {
  const every = EVERY.exec(schedule)?.[1];
  if (every !== undefined) {
    const periodMs = periodOf(every);
    return { nextAfter: (afterMs) => afterMs + periodMs };
  }
  // Never started: it has no timer, and the clock is asked elsewhere.
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
