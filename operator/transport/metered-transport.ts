import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { Meter } from '../core/metrics.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

interface MeteredTransportOptions {
  readonly meter: Meter;
  readonly clock: Clock;
  /** Label `host` of every series: the authority of the ambassador's URL. */
  readonly host: string;
  /** Observe durations and sizes, too. Default false: three histograms per verb. */
  readonly detailed?: boolean;
}

/** What client-go reports as the code of a request without an answer. */
const NO_ANSWER = '<error>';

/**
 * `transport`, counted: `rest_client_requests_total{code,method,host}` for every request that was
 * sent, under the names and labels of client-go, so that dashboards made for it fit. A request
 * without an answer has the code `<error>`.
 *
 * With `detailed`, of everything but watches: `rest_client_request_duration_seconds{verb,host}` until
 * the answer's head, `rest_client_request_size_bytes{verb,host}`, and
 * `rest_client_response_size_bytes{verb,host}` of answers that are complete.
 */
export function meteredTransport(
  transport: Transport,
  { meter, clock, host, detailed = false }: MeteredTransportOptions,
): Transport {
  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      const { body, method, purpose, signal } = request;
      signal.throwIfAborted(); // then nothing is sent, and nothing counted
      const startedAt = clock.monotonic();
      const labels = { verb: method, host };
      const isDetailed = detailed && purpose !== 'watch';
      const count = (code: string): void => {
        meter.count('rest_client_requests_total', { code, method, host });
        if (!isDetailed) return;
        const seconds = (clock.monotonic() - startedAt) / 1_000;
        meter.observe('rest_client_request_duration_seconds', labels, seconds);
        meter.observe('rest_client_request_size_bytes', labels, Buffer.byteLength(body ?? ''));
      };
      try {
        const response = await transport.send(request);
        count(String(response.status));
        if (isDetailed) {
          onArrived(response.body, (bytes) =>
            meter.observe('rest_client_response_size_bytes', labels, bytes),
          );
        }
        return response;
      } catch (error) {
        count(NO_ANSWER);
        throw error;
      }
    },

    close: () => transport.close(),
  };
}

/**
 * Calls `told` with the size of `body` in bytes when all of it has arrived; never for one that breaks
 * off. Nothing is read by it, and nothing read later: a listener or a stream in between would change
 * who holds back whom.
 */
function onArrived(body: Readable, told: (bytes: number) => void): void {
  let bytes = body.readableLength; // what came together with the head
  if (body.readableEnded) {
    told(bytes);
    return;
  }
  const push = body.push.bind(body);
  body.push = (chunk: Uint8Array | null, encoding?: BufferEncoding): boolean => {
    bytes += chunk?.length ?? 0;
    return push(chunk, encoding);
  };
  body.once('end', () => told(bytes));
}
