import type { Cancel, Clock } from '../../core/clock.ts';
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
  const sleepUntil = (dueMs: number): void => {
    const leftMs = dueMs - clock.now();
    cancel = clock.schedule(Math.min(Math.max(leftMs, 0), MAX_SLEEP_MS), () => {
      if (clock.now() < dueMs) sleepUntil(dueMs);
      else {
        arm(Math.max(clock.now(), dueMs));
        tick();
      }
    });
  };
  const arm = (afterMs: number): void => {
    const due = crontab.next(new Date(afterMs));
    if (due !== undefined) sleepUntil(due.getTime());
  };
  arm(clock.now());
  return { [Symbol.dispose]: () => cancel() };
}
