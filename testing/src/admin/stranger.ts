import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from 'chancery/internal-objects';

/**
 * The reason why a request may come from a web page of another machine. Undefined if it cannot come from one.
 * If the page's host name resolves to this machine (DNS rebinding), the browser sends that name as Host. For
 * every other page it sends the page's address as Origin.
 */
export function strangerProblem({ host = '', origin }: IncomingHttpHeaders): string | undefined {
  if (!isLoopbackHost(host)) {
    return 'the Host of the request is not this machine: use localhost, 127.0.0.1 or [::1]';
  }
  if (origin !== undefined && !isLoopbackHost(origin.replace(/^https?:\/\//, ''))) {
    return 'the Origin of the request is not this machine';
  }
  return undefined;
}
