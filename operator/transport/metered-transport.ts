import type { Clock } from '../core/clock.ts';
import type { Meter } from '../core/metrics.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface MeteredTransportOptions {
  readonly meter: Meter;
  readonly clock: Clock;
  /** Label `host` of every series: the authority of the ambassador's URL. */
  readonly host: string;
  /** Observe `rest_client_request_duration_seconds` too. Default false: a histogram per verb. */
  readonly durations?: boolean;
}

/** What client-go reports as the code of a request without an answer. */
const NO_ANSWER = '<error>';

/**
 * `transport`, counted: `rest_client_requests_total{code,method,host}` for every request that was
 * sent, under the names and labels of client-go, so that dashboards made for it fit. A request
 * without an answer has the code `<error>`. With `durations`, also the seconds until the answer's
 * head, as `rest_client_request_duration_seconds{verb,host}`; watches are left out.
 */
export function meteredTransport(
  transport: Transport,
  { meter, clock, host, durations = false }: MeteredTransportOptions,
): Transport {
  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      const { method } = request;
      request.signal.throwIfAborted(); // then nothing is sent, and nothing counted
      const startedAt = clock.monotonic();
      const count = (code: string): void => {
        meter.count('rest_client_requests_total', { code, method, host });
        if (!durations || request.purpose === 'watch') return;
        const seconds = (clock.monotonic() - startedAt) / 1_000;
        meter.observe('rest_client_request_duration_seconds', { verb: method, host }, seconds);
      };
      try {
        const response = await transport.send(request);
        count(String(response.status));
        return response;
      } catch (error) {
        count(NO_ANSWER);
        throw error;
      }
    },

    close: () => transport.close(),
  };
}
