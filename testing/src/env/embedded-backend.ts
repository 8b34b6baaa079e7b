import { ApiServer, type ApiServerOptions } from '../apiserver/api-server.ts';
import { ADMINISTRATOR } from '../apiserver/auth/user.ts';
import { TEST_USER_AGENT } from './api-calls.ts';
import type { Backend } from './backend.ts';
import { EventLog } from './event-log.ts';
import { loggedRequest, RequestLog } from './request-log.ts';

/** The embedded API server, with logs of its requests and commits. */
export async function embeddedBackend(options: ApiServerOptions): Promise<Backend> {
  const workloads = options.workloads ?? {};
  const server = await ApiServer.start({ ...options, workloads });
  const events = new EventLog();
  const unsubscribe = server.subscribe((resource, event) => events.record(resource, event));
  // The test's own calls use this port, which needs neither a token nor a certificate authority.
  const url = options.tls === undefined ? server.url : await server.urlFor(ADMINISTRATOR);
  return {
    url,
    runsWorkloads: workloads !== false,
    isShared: false,
    proxyOptions: undefined,
    embedded: { server, events, requests: new RequestLog(() => requestsOf(server)) },
    async close(): Promise<void> {
      unsubscribe();
      await server.close();
    },
  };
}

/** The requests that the server received, except the requests of the test itself. */
function requestsOf(server: ApiServer): ReturnType<RequestLog['of']> {
  return server.requests
    .filter(({ headers }) => headers['user-agent'] !== TEST_USER_AGENT)
    .map(({ method, path, query, headers, user }) =>
      loggedRequest(method, `${path}?${query}`, headers['user-agent'] ?? '', user),
    );
}
