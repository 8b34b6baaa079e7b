import type { IncomingHttpHeaders } from 'node:http';

/**
 * Why a request may come from a web page of another machine; undefined when it does not. A page whose name leads to
 * this machine (DNS rebinding) sends that name as Host. Every other page sends its address as Origin.
 */
export function strangerProblem({ host, origin }: IncomingHttpHeaders): string | undefined {
  if (host === undefined || !isLoopback(`http://${host}`)) {
    return 'the Host of the request is not this machine: use localhost, 127.0.0.1 or [::1]';
  }
  if (origin !== undefined && !isLoopback(origin)) {
    return 'the Origin of the request is not this machine';
  }
  return undefined;
}

function isLoopback(address: string): boolean {
  const { hostname, username, pathname } = URL.parse(address) ?? {};
  if (hostname === undefined || username !== '' || pathname !== '/') return false;
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
