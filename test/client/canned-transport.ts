import { Readable } from 'node:stream';
import type { Transport, TransportRequest } from '../../operator/transport/transport.ts';

/** What a canned transport answers with; the body defaults to an empty object, as JSON. */
export interface CannedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | object | Readable;
}

export interface CannedTransport extends Transport {
  readonly requests: readonly TransportRequest[];
}

/** A Transport whose answers the test writes; it keeps the requests. */
export function cannedTransport(
  answer: (request: TransportRequest, index: number) => CannedAnswer,
): CannedTransport {
  const requests: TransportRequest[] = [];
  return {
    requests,
    async send(request) {
      request.signal.throwIfAborted();
      requests.push(request);
      const { status = 200, headers, body = {} } = answer(request, requests.length - 1);
      return {
        status,
        headers: headers ?? { 'content-type': 'application/json' },
        body: body instanceof Readable ? body : bodyOf(body),
      };
    },
    async close() {},
  };
}

function bodyOf(body: string | object): Readable {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Readable.from(text === '' ? [] : [Buffer.from(text)], { objectMode: false });
}

/** The path and the decoded query of a request. */
export function parsePath(request: TransportRequest | undefined): {
  path: string;
  query: Record<string, string>;
} {
  const url = new URL(request?.path ?? '', 'http://localhost');
  return { path: url.pathname, query: Object.fromEntries(url.searchParams) };
}
