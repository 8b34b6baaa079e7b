import { type LinkedAbort, linkedAbort } from '../core/abort.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { LeadershipLostError } from '../core/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

interface FencedTransportOptions {
  readonly fence: Fence;
  readonly clock: Clock;
}

/**
 * `transport`, whose writes pass `fence`: asked when a write is given to us and again when it is put on
 * a connection, for it may have waited for one. A write whose answer's head is not there at the
 * deadline is cut off; the deadline moves while leadership is renewed. What reads passes as it is.
 *
 * @throws LeadershipLostError `LEADERSHIP_LOST` from `send`: before anything is sent; or, when the
 *   write was cut off, with the outcome unknown (`fate` in its context).
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
        // Done as far as others are concerned; its caller may still abort the reading.
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

/** Positive. @throws LeadershipLostError when there is none. */
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

/** What says whether writes may still leave this process: leadership, seen from the writer. */
export interface Fence {
  /**
   * Until when, on `clock.monotonic()`, a write that begins now must be over, answered or not: after
   * that another leader may act. Infinity for no limit. Asked before every write, so that it holds after
   * a stall, too.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` when no write may begin any more, or none yet.
   */
  writeDeadlineAt(): number;
}
