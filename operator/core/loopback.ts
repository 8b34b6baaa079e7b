import { isIPv4 } from 'node:net';

/**
 * True if a Host header contains a name of this machine, with or without a port: `localhost`, `127.0.0.1` or
 * `[::1]`. `kubectl proxy` accepts the same names.
 *
 * The owner of a web page can make the page's name resolve to a loopback address (DNS rebinding). The browser
 * then lets the page read the answers of a server on loopback, but it sends the name of the page as Host.
 */
export function isLoopbackHost(header: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(header);
}

/**
 * True for an IP address that only programs on this machine can reach. An IPv6 address must be passed without
 * brackets.
 */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
