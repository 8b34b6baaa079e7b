import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';
import type { Hook, ScheduleBinding } from '../hook.ts';
import type { RunTask } from '../queue/task.ts';
import { parseCrontab } from './crontab.ts';

/** Ticks of a schedule that may wait in the queue. Further ticks are dropped. */
const MAX_WAITING_TICKS = 100;

/**
 * The longest sleep. After each sleep the wall clock is read again, because it may have been
 * changed.
 */
const MAX_SLEEP_MS = 60_000;

/**
 * Puts a task into a queue at each time of a schedule, until the returned value is disposed. Times
 * that pass while the process is suspended are skipped.
 *
 * @param deliver - puts the task into the queue of the binding.
 * @throws ConfigurationError `CONFIG` when the crontab is not a schedule.
 */
export function startSchedule(
  hook: Hook,
  binding: ScheduleBinding,
  clock: Clock,
  deliver: (task: RunTask) => void,
): Disposable {
  const crontab = parseCrontab(binding.crontab);
  let waiting = 0;
  let cancel: Cancel = () => {};
  const onTaken = (): void => {
    waiting -= 1;
  };
  const tick = (): void => {
    if (waiting >= MAX_WAITING_TICKS) return;
    waiting += 1;
    deliver({ hook, item: { type: 'Schedule', binding }, onTaken });
  };
  const sleepUntil = (dueMs: number | undefined): void => {
    if (dueMs === undefined) return;
    const leftMs = dueMs - clock.now();
    cancel = clock.schedule(Math.min(Math.max(leftMs, 0), MAX_SLEEP_MS), () => {
      const now = clock.now();
      // When the wall clock was set back, an earlier time may be due.
      if (now < dueMs) return sleepUntil(Math.min(dueMs, nextMs(now) ?? dueMs));
      sleepUntil(nextMs(now));
      tick();
    });
  };
  const nextMs = (afterMs: number): number | undefined =>
    crontab.next(new Date(afterMs))?.getTime();
  sleepUntil(nextMs(clock.now()));
  return { [Symbol.dispose]: () => cancel() };
}
