import { aborted } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { keyFrom, type ObjectKey, type Target } from '../model/object.ts';
import { type AddOptions, LOW_PRIORITY } from '../queue/work-queue.ts';

/** Keys or names of objects. */
export type Keys = Iterable<ObjectKey | Target>;

/** Puts keys into the queue of a controller. */
export type Enqueue = (keys: Keys, options?: AddOptions) => void;

/**
 * Enqueues keys for reasons other than a watched change, such as an external webhook or the time. A trigger
 * is a declaration: each controller that declares it runs it once.
 */
export interface Trigger {
  /**
   * Starts when the controller's caches are synced and, with leader election, when this process leads. It
   * must release everything and return when `signal` aborts. If a trigger throws, the error is logged and the
   * trigger is restarted with back-off; if it returns earlier, it is not run again.
   */
  run(
    enqueue: Enqueue,
    options: { readonly clock: Clock; readonly signal: AbortSignal },
  ): Promise<void>;
}

/** A trigger that other code in the process activates, such as a webhook server or a subscription. */
export interface Channel extends Trigger {
  /**
   * Enqueues the objects of `keys` in every running controller that has this channel. Returns at once.
   *
   * A controller that is not running yet does not receive the keys, but reconciles every existing object when
   * it starts. The keys are not stored, because the keys for a controller on standby would pile up without a
   * limit.
   */
  send(keys: Keys): void;
}

/** Creates a channel; see `Channel.send`. */
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
      const all = Array.from(keys, keyFrom);
      for (const receive of receivers) receive(all);
    },
  } satisfies Channel);
}

/** Options of `everyMs`: how much its periods vary. */
interface EveryMsOptions {
  /**
   * Each period is varied randomly by up to this fraction, so that replicas do not act together. Default 0.1.
   */
  readonly jitter?: number;
  /** Returns random numbers, uniform in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Enqueues keys periodically, first one period after the controller has started, with a lower priority than
 * all keys that changed. To reconcile every cached object periodically, set `resyncPeriodMs` instead.
 *
 * @param keys - the keys or names, or a function that is called each period.
 * @throws ConfigurationError `CONFIG` when the period is not a finite number above 0, or the jitter is not at
 *   least 0 and below 1.
 */
export function everyMs(
  periodMs: number,
  keys: Keys | (() => Keys | Promise<Keys>),
  // `Math.random` is looked up at each call, so that a later replacement, such as virtual time, is
  // used.
  { jitter = 0.1, random = () => Math.random() }: EveryMsOptions = {},
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
