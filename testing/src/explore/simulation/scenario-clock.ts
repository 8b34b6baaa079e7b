import { type Alarm, VirtualClock } from 'chancery/internal-testing';

/**
 * The owner of a timer: the toolkit and its controllers, their triggers, user code, or the API
 * server. Undefined for the explorer itself.
 */
export type AlarmOwner = 'operator' | 'trigger' | 'code' | 'server';

/** A clock whose time passes only when the simulation moves it to the next timer. */
export type ScenarioClock = VirtualClock<AlarmOwner>;

/** The wall time at the beginning of every run, so that dates in objects are equal. */
const START_MS = Date.UTC(2026, 0, 1);

export function scenarioClock(): ScenarioClock {
  return new VirtualClock<AlarmOwner>(0, START_MS);
}

/** The timer that is due first, among the timers for which `isWanted` returns true. */
export function firstAlarm(
  clock: ScenarioClock,
  isWanted: (alarm: Alarm<AlarmOwner>) => boolean,
): Alarm<AlarmOwner> | undefined {
  let first: Alarm<AlarmOwner> | undefined;
  for (const alarm of clock.alarms()) {
    if ((first === undefined || alarm.dueAt < first.dueAt) && isWanted(alarm)) first = alarm;
  }
  return first;
}

/**
 * The approximate times of the operator's timers. They are rounded, so that the jitter of retries makes no
 * difference.
 */
export function alarmsDigest(clock: ScenarioClock): string {
  const nowMs = clock.monotonic();
  return [...clock.alarms()]
    .filter(({ owner }) => owner !== 'server')
    .map(({ owner = 'explorer', dueAt }) => `${owner} ${Math.round(Math.log2(1 + dueAt - nowMs))}`)
    .sort()
    .join('\n');
}
