import { aborted } from '../core/abort.ts';
import type { ObjectKey } from '../model/object.ts';
import type { Enqueue, Trigger } from './trigger.ts';

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
