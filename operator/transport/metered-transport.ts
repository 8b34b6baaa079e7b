import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { Meter } from '../core/metrics.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

interface MeteredTransportOptions {
  readonly meter: Meter;
  readonly clock: Clock;
  /** The label `host` of every series: the host and port of the ambassador's URL. */
  readonly host: string;
  /**
   * If true, durations and sizes are observed as well. Default false, because this adds three histograms per
   * verb.
   */
  readonly detailed?: boolean;
}

/** The label `code` of a request without an answer, as in client-go. */
const NO_ANSWER = '<error>';

/**
 * `transport`, but with metrics. Every request that was sent is counted in
 * `rest_client_requests_total{code,method,host}`. Names and labels are those of client-go, so existing
 * dashboards work. A request without an answer has the code `<error>`.
 *
 * With `detailed`, these histograms observe every request except watches:
 * `rest_client_request_duration_seconds{verb,host}` until the headers of the answer arrive,
 * `rest_client_request_size_bytes{verb,host}`, and `rest_client_response_size_bytes{verb,host}` for complete
 * answers.
 */
export function meteredTransport(
  transport: Transport,
  { meter, clock, host, detailed = false }: MeteredTransportOptions,
): Transport {
  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      const { body, method, purpose, signal } = request;
      signal.throwIfAborted(); // an aborted request is not sent, so it is not counted
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
 * Calls `arrived` with the size of `body` in bytes when the whole body has arrived, but not if it breaks off.
 * This function wraps `push`, because a listener or another stream would read the body and change its
 * back-pressure.
 */
function onArrived(body: Readable, arrived: (bytes: number) => void): void {
  let bytes = body.readableLength; // bytes that came together with the head
  if (body.readableEnded) {
    arrived(bytes);
    return;
  }
  const push = body.push.bind(body);
  body.push = (chunk: Uint8Array | null, encoding?: BufferEncoding): boolean => {
    bytes += chunk?.length ?? 0;
    return push(chunk, encoding);
  };
  body.once('end', () => arrived(bytes));
}
