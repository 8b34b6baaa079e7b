import { aborted } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { ObjectKey } from '../model/object.ts';
import { type AddOptions, LOW_PRIORITY } from '../queue/work-queue.ts';

/** Puts keys into the queue of a controller. */
export type Enqueue = (keys: Iterable<ObjectKey>, options?: AddOptions) => void;

/**
 * Where keys come from that no watch names: a webhook of somebody else's, the clock. A declaration: one
 * that several controllers share runs once for each of them.
 */
export interface Trigger {
  /**
   * Begins to name keys when the controller has its caches, and, with leader election, when it leads;
   * ends, and lets go of everything it holds, when `signal` aborts. One that throws is logged and begun
   * again, with back-off; one that returns earlier has ended.
   */
  run(
    enqueue: Enqueue,
    options: { readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<void>;
}

/** A trigger that other code of the process pulls: a webhook server, a subscription. */
export interface Channel extends Trigger {
  /**
   * Enqueues `keys` in every controller that has this channel and works. Returns at once.
   *
   * Nothing is kept for later: a controller that begins reconciles every object that there is, and one
   * that stands by or has stopped must not collect keys without end.
   */
  send(keys: Iterable<ObjectKey>): void;
}

/** A channel; see `Channel.send`. */
export function channel(): Channel {
  const receivers = new Set<Enqueue>();
  return Object.freeze({
    async run(enqueue, { signal }) {
      const receive: Enqueue = (keys) => enqueue(keys);
      receivers.add(receive);
      try {
        await aborted(signal);
      } finally {
        receivers.delete(receive);
      }
    },
    send(keys) {
      const all = [...keys];
      for (const receive of receivers) receive(all);
    },
  } satisfies Channel);
}

/** How the periods of `everyMs` vary. */
interface EveryMsOptions {
  /** Each period is stretched or shrunk by up to this share, so that replicas spread. Default 0.1. */
  readonly jitter?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Enqueues keys by the clock: for the first time one period after the controller has begun, behind
 * all keys that changed. To reconcile every cached object from time to time, set `resyncPeriodMs`
 * instead.
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
