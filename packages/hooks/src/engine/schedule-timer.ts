import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';
import type { Hook, ScheduleBinding } from '../hook.ts';
import type { RunTask } from '../queue/task.ts';
import { parseCrontab } from './crontab.ts';

/** Ticks of a schedule that wait one by one. Further ticks are part of the last. */
const MAX_WAITING_TICKS = 100;

/** After this time the wall clock is looked at again: it may have been set. */
const MAX_SLEEP_MS = 60_000;

/**
 * Puts a task into a queue at each time of a schedule, until it is disposed of. A time that passes while the process
 * is suspended is not made up for.
 *
 * @param deliver - puts the task into the queue of the binding.
 * @throws ConfigurationError `CONFIG` for a text that is no schedule.
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
      // A wall clock that was set back may bring an earlier time.
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
