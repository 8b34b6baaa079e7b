import { sleep } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { ObjectKey } from '../model/object.ts';
import { LOW_PRIORITY } from '../queue/work-queue.ts';
import type { Trigger } from './trigger.ts';

/** How the periods of `everyMs` vary. */
interface EveryMsOptions {
  /** Each period is stretched or shrunk by up to this share, so that replicas spread. Default 0.1. */
  readonly jitter?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Enqueues keys by the clock: for the first time one period after the controller has begun, behind
 * everything that somebody changed. To look at every cached object again from time to time needs no
 * trigger: see `resyncPeriodMs`.
 *
 * @param keys - which; a function is asked each time.
 * @throws ConfigurationError `CONFIG` for a period that is no time above 0.
 */
export function everyMs(
  periodMs: number,
  keys: Iterable<ObjectKey> | (() => Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>),
  { jitter = 0.1, random = Math.random }: EveryMsOptions = {},
): Trigger {
  if (!(periodMs > 0 && Number.isFinite(periodMs)) || !(jitter >= 0 && jitter < 1)) {
    throw new ConfigurationError('everyMs takes milliseconds above 0 and a jitter from 0 to 1', {
      context: { periodMs, jitter },
    });
  }
  return Object.freeze({
    async run(enqueue, { clock, signal }) {
      for (;;) {
        const spread = 1 - jitter + 2 * jitter * random();
        try {
          await sleep(clock, periodMs * spread, signal);
        } catch {
          return; // aborted
        }
        enqueue(typeof keys === 'function' ? await keys() : keys, { priority: LOW_PRIORITY });
      }
    },
  } satisfies Trigger);
}
