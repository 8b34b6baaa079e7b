import { linkedAbort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { LeadershipLostError } from '../core/errors.ts';
import type { Fence } from './fence.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/**
 * `transport`, whose writes pass `fence`: asked before each, by the clock, and cut off when its
 * deadline comes while the answer's head is not there. What reads passes as it is.
 *
 * @throws LeadershipLostError `LEADERSHIP_LOST` from `send`, before anything is sent or, after the
 *   deadline, with the outcome unknown.
 */
export function fencedTransport(
  transport: Transport,
  { fence, clock }: { readonly fence: Fence; readonly clock: Clock },
): Transport {
  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      if (request.method === 'GET') return transport.send(request);
      using write = linkedAbort(request.signal);
      const leftMs = fence.writeDeadlineAt() - clock.monotonic();
      const cancel = clock.schedule(Math.max(leftMs, 0), () =>
        write.abort(new LeadershipLostError('leadership ends, a write under way was cut off')),
      );
      try {
        return await transport.send({ ...request, signal: write.signal });
      } finally {
        cancel();
      }
    },
    close: () => transport.close(),
  };
}
