import { type LinkedAbort, linkedAbort } from '../core/abort.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { LeadershipLostError } from '../core/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

interface FencedTransportOptions {
  readonly fence: Fence;
  readonly clock: Clock;
}

/**
 * `transport`, but every write is checked by `fence`. Each write is checked twice: when `send` is called, and
 * when the write gets a connection, because it may have waited for a connection. If a write has no response
 * headers at the deadline, it is aborted. The deadline moves while leadership is renewed. GET requests are
 * not checked.
 *
 * @throws LeadershipLostError `LEADERSHIP_LOST` from `send`. If the write was aborted, the error has
 *   `fate: 'unknown'` in its context; otherwise nothing was sent.
 */
export function fencedTransport(
  transport: Transport,
  { fence, clock }: FencedTransportOptions,
): Transport {
  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      if (request.method === 'GET') return transport.send(request);
      const leftMs = timeLeft(fence, clock);
      const write = linkedAbort(request.signal);
      const cancel = cutOffAfter(leftMs, write, fence, clock);
      try {
        const response = await transport.send({
          ...request,
          signal: write.signal,
          beforeSend: () => {
            timeLeft(fence, clock);
            request.beforeSend?.();
          },
        });
        // From now on the fence does not apply to this write. Its caller may still abort reading the answer.
        response.body.once('close', () => write[Symbol.dispose]());
        return response;
      } catch (error) {
        write[Symbol.dispose]();
        throw error;
      } finally {
        cancel();
      }
    },
    close: () => transport.close(),
  };
}

/**
 * Milliseconds until writes must have ended; always positive.
 *
 * @throws LeadershipLostError when no time is left.
 */
function timeLeft(fence: Fence, clock: Clock): number {
  const leftMs = fence.writeDeadlineAt() - clock.monotonic();
  if (leftMs > 0) return leftMs;
  throw new LeadershipLostError('the time in which writes may be made is over');
}

function cutOffAfter(leftMs: number, write: LinkedAbort, fence: Fence, clock: Clock): Cancel {
  let cancel: Cancel = () => {};
  const arm = (delayMs: number): void => {
    if (delayMs === Number.POSITIVE_INFINITY) return;
    cancel = clock.schedule(delayMs, () => {
      try {
        arm(timeLeft(fence, clock));
      } catch (error) {
        write.abort(cutOff(error));
      }
    });
  };
  arm(leftMs);
  return () => cancel();
}

function cutOff(cause: unknown): LeadershipLostError {
  return new LeadershipLostError('leadership ended, a write under way was cut off', {
    ...(cause instanceof LeadershipLostError && { layer: cause.layer }),
    cause,
    context: { fate: 'unknown' },
  });
}

/** Decides if this process may still send writes, depending on its leadership. */
export interface Fence {
  /**
   * The time on `clock.monotonic()` by which a write that begins now must have ended, with or without an
   * answer. After that, another leader may be working. Infinity means no limit. This method is called before
   * every write, so the result is correct even if the event loop was blocked.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` when writes are no longer allowed, or not yet.
   */
  writeDeadlineAt(): number;
}
