import { ConfigurationError } from '../core/errors.ts';
import type { Transport, TransportRequest } from './transport.ts';

/**
 * `transport`, which stores nothing: each request that is no GET carries `dryRun=All`, so that the API
 * server defaults, admits and validates it, answers as usual, and keeps nothing.
 *
 * @throws ConfigurationError `CONFIG` from `send`, and nothing is sent, for what knows no dry run: a
 *   connection to a container or through to a server behind (`exec`, `attach`, `portforward`, `proxy`).
 */
export function dryRunTransport(transport: Transport): Transport {
  return {
    send: async (request) => transport.send(request.method === 'GET' ? request : asDryRun(request)),
    close: () => transport.close(),
  };
}

const CONNECTIONS = /\/(?:pods|services|nodes)\/[^/]+\/(?:exec|attach|portforward|proxy)(?:\/|$)/;

function asDryRun(request: TransportRequest): TransportRequest {
  const [path = '', query = ''] = request.path.split('?', 2);
  if (CONNECTIONS.test(path)) {
    throw new ConfigurationError('there is no dry run of a connection, it is not asked for', {
      context: { method: request.method, path },
    });
  }
  const parameters = new URLSearchParams(query);
  parameters.set('dryRun', 'All');
  return {
    ...request,
    path: `${path}?${parameters}`,
    ...(request.method === 'DELETE' &&
      request.body !== undefined && { body: withDryRun(request.body) }),
  };
}

/** The options of a delete are those of its body where it has one: the query is not looked at. */
function withDryRun(body: string): string {
  return JSON.stringify({ ...(JSON.parse(body) as object), dryRun: ['All'] });
}
