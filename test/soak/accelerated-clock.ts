import { type Clock, systemClock } from '../../operator/core/clock.ts';

/**
 * A clock that runs `speed` times as fast as the machine's. Operator and API server share it, so
 * that backoffs of a minute, bookmarks and watch timeouts all happen many times within a run.
 */
export function acceleratedClock(speed: number): Clock {
  const startTime = systemClock.now();
  const startAt = systemClock.monotonic();
  return {
    now: () => startTime + (systemClock.monotonic() - startAt) * speed,
    monotonic: () => systemClock.monotonic() * speed,
    schedule: (delayMs, wake) => systemClock.schedule(delayMs / speed, wake),
  };
}
