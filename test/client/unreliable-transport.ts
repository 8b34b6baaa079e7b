import { text } from 'node:stream/consumers';
import { AmbassadorError, type RequestFate } from '../../operator/core/errors.ts';
import type { Transport, TransportRequest } from '../../operator/transport/transport.ts';

/**
 * What happens to a request: it is answered; it is carried out and the answer lost; or it never
 * arrives, which the caller is told (`not-sent`) or not (`lost`).
 */
export type Fortune = 'answered' | 'swallowed' | 'lost' | 'not-sent';

export interface UnreliableTransport extends Transport {
  /** `METHOD path` of every attempt, without the query. */
  readonly attempts: readonly string[];
}

/** `transport`, whose requests that are not GET meet with `fortunes`, in order; then all is well. */
export function unreliable(
  transport: Transport,
  fortunes: readonly Fortune[],
  affected: (request: TransportRequest) => boolean = ({ method }) => method !== 'GET',
): UnreliableTransport {
  const left = [...fortunes];
  const attempts: string[] = [];
  return {
    attempts,
    async send(request) {
      attempts.push(`${request.method} ${request.path.split('?')[0]}`);
      const fortune = affected(request) ? (left.shift() ?? 'answered') : 'answered';
      if (fortune === 'not-sent') throw broken('not-sent');
      if (fortune === 'lost') throw broken('unknown');
      const response = await transport.send(request);
      if (fortune === 'answered') return response;
      await text(response.body);
      throw broken('unknown');
    },
    close: () => transport.close(),
  };
}

function broken(fate: RequestFate): AmbassadorError {
  return new AmbassadorError('the connection broke', { code: 'AMBASSADOR_UNREACHABLE', fate });
}
