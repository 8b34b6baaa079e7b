import { isIPv4 } from 'node:net';

/**
 * True for a Host header that names this machine, with or without a port: `localhost`, `127.0.0.1` or
 * `[::1]`, the names that `kubectl proxy` accepts.
 *
 * The owner of a web page can make the page's name resolve to a loopback address (DNS rebinding). The browser
 * then lets the page read the answers of a server on loopback, but it sends the name of the page as Host.
 */
export function isLoopbackHost(header: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(header);
}

/**
 * True for an IP address that only programs on this machine can reach. An IPv6 address has no brackets here.
 */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
