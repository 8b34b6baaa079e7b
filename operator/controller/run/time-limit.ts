import type { Cancel, Clock } from '../../core/clock.ts';

/**
 * Calls `exceeded` after `limitMs`, and again every `limitMs` with the time that has passed, until it
 * is cancelled: what is overdue stays visible.
 */
export function timeLimit(
  clock: Clock,
  limitMs: number,
  exceeded: (passedMs: number, isFirst: boolean) => void,
): Cancel {
  const startedAtMs = clock.monotonic();
  let isFirst = true;
  let cancel: Cancel;
  const arm = (): void => {
    cancel = clock.schedule(limitMs, () => {
      arm();
      exceeded(clock.monotonic() - startedAtMs, isFirst);
      isFirst = false;
    });
  };
  arm();
  return () => cancel();
}
