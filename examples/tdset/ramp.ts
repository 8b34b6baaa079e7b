/** Scaling by steps: how many replicas now, of how many in the end. Pure. */

export interface Ramp {
  /** Replicas at a time. */
  readonly step: number;
  readonly intervalSeconds: number;
}

export interface Stage {
  readonly replicas: number;
  /** When the step was made that this is about; undefined when none ever was. */
  readonly steppedAtMs: number | undefined;
  /** Until the next step; undefined when there is none to make. */
  readonly nextInMs: number | undefined;
}

export interface Progress {
  /** What the Deployment has; undefined where there is none yet: nothing is there to be ramped from. */
  readonly current: number | undefined;
  readonly target: number;
  /** When the last step was made, as it was noted with it. */
  readonly steppedAtMs: number | undefined;
  readonly nowMs: number;
}

/** The next stage on the way to `target`: the present one until the interval is over. */
export function stageOf(ramp: Ramp | undefined, progress: Progress): Stage {
  const { current, target, steppedAtMs, nowMs } = progress;
  if (ramp === undefined || current === undefined) {
    return { replicas: target, steppedAtMs: undefined, nextInMs: undefined };
  }
  if (current === target) return { replicas: target, steppedAtMs, nextInMs: undefined };
  const intervalMs = ramp.intervalSeconds * 1_000;
  // A time in the future was noted by a clock that was wrong: it holds up nothing.
  const sinceMs = steppedAtMs === undefined ? intervalMs : nowMs - steppedAtMs;
  if (sinceMs >= 0 && sinceMs < intervalMs) {
    return { replicas: current, steppedAtMs, nextInMs: intervalMs - sinceMs };
  }
  const replicas =
    target > current
      ? Math.min(current + ramp.step, target)
      : Math.max(current - ramp.step, target);
  const isLast = replicas === target;
  return { replicas, steppedAtMs: nowMs, nextInMs: isLast ? undefined : intervalMs };
}
