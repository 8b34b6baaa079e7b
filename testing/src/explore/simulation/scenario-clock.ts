import { type Alarm, VirtualClock } from 'chancery/internal-testing';

/**
 * Whose an alarm is: the toolkit and its controllers, their triggers, timers of user code, or the API server. Undefined: of
 * the explorer.
 */
export type AlarmOwner = 'operator' | 'trigger' | 'code' | 'server';

/** Time that passes only when the simulation moves it to the next alarm. */
export type ScenarioClock = VirtualClock<AlarmOwner>;

/** Wall time at the begin of every run, so that dates in objects are the same in each. */
const START_MS = Date.UTC(2026, 0, 1);

export function scenarioClock(): ScenarioClock {
  return new VirtualClock<AlarmOwner>(0, START_MS);
}

/** The alarm that is due first of those that are wanted. */
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

/** When alarms of the operator are due, about: the width of a bucket hides the jitter of retries. */
export function alarmsDigest(clock: ScenarioClock): string {
  const nowMs = clock.monotonic();
  return [...clock.alarms()]
    .filter(({ owner }) => owner !== 'server')
    .map(({ owner = 'explorer', dueAt }) => `${owner} ${Math.round(Math.log2(1 + dueAt - nowMs))}`)
    .sort()
    .join('\n');
}
