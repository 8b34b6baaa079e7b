import { exponentialBackoff } from '../../../core/backoff.ts';
import { type Clock, sleep } from '../../../core/clock.ts';
import type { Log } from '../../reconciler.ts';
import type { Enqueue, Trigger } from '../../trigger.ts';

interface RunTriggersOptions {
  readonly enqueue: Enqueue;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called when a trigger has thrown. */
  readonly failed: () => void;
  /** Returns random numbers, uniform in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** Milliseconds of the pause after a failure. Each further pause is twice as long, up to 5 minutes. */
const RESTART_MS = { initialMs: 1_000, maxMs: 5 * 60_000, jitter: 0.1 };

/** If a trigger ran for this many milliseconds before it threw, its pauses start again with the first one. */
const HEALTHY_MS = 10 * 60_000;

/** Runs triggers concurrently. Resolves when `signal` has aborted and all of them have ended. */
export async function runTriggers(
  triggers: readonly Trigger[],
  options: RunTriggersOptions,
): Promise<void> {
  await Promise.all(triggers.map((trigger, index) => runOne(trigger, index, options)));
}

async function runOne(
  trigger: Trigger,
  index: number,
  { enqueue, clock, log, signal, failed, random = Math.random }: RunTriggersOptions,
): Promise<void> {
  const backoff = exponentialBackoff({ ...RESTART_MS, random });
  while (!signal.aborted) {
    const startedAt = clock.monotonic();
    try {
      await trigger.run(enqueue, { clock, signal });
      return;
    } catch (error) {
      if (signal.aborted) return;
      failed();
      if (clock.monotonic() - startedAt >= HEALTHY_MS) backoff.reset();
      const retryInMs = Math.round(backoff.nextMs());
      log.error({ err: error, trigger: index, retryInMs }, 'trigger failed; it is started again');
      await sleep(clock, retryInMs, signal).catch(() => {}); // aborted: the loop ends
    }
  }
}
