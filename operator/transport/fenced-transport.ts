import { type LinkedAbort, linkedAbort } from '../core/abort.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { LeadershipLostError } from '../core/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

interface FencedTransportOptions {
  readonly fence: Fence;
  readonly clock: Clock;
}

/**
 * `transport`, with every write checked against `fence`. Each write is checked twice: when `send` is called,
 * and when the write gets a connection, because it may have waited for one. A write that has no response
 * headers at the deadline is cut off. The deadline moves while leadership is renewed. GET requests are not
 * checked.
 *
 * @throws LeadershipLostError `LEADERSHIP_LOST` from `send`: before anything is sent, or with `fate:
 *   'unknown'` in its context if the write was cut off.
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
        // The fence no longer applies to this write. Its caller may still abort the reading.
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
 * Milliseconds until writes must end; always positive.
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

/** Decides if writes may still leave this process, depending on its leadership. */
export interface Fence {
  /**
   * The time on `clock.monotonic()` by which a write that begins now must have ended, with or without an
   * answer. After that another leader may act. Infinity means no limit. Called before every write, so the
   * result is correct even after a stall.
   *
   * @throws LeadershipLostError `LEADERSHIP_LOST` when writes are no longer allowed, or not yet.
   */
  writeDeadlineAt(): number;
}
