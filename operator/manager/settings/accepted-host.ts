import { isIPv4, isIPv6 } from 'node:net';
import { type ReadSetting, unusable } from './text.ts';

/** The setting with additional host names. */
export const HTTP_HOSTS = 'CHANCERY_HTTP_HOSTS';

/** Matches DNS labels in lower case, with at most 253 characters. */
const NAME = /^(?!.{254})[a-z0-9_][-a-z0-9_]{0,62}(\.[a-z0-9_][-a-z0-9_]{0,62})*$/;

/**
 * True when a request with this Host header may read the state of the process.
 *
 * A web page of `evil.example` can make its own name resolve to an address that the browser reaches, such as
 * 127.0.0.1 during a port-forward (DNS rebinding). The browser then allows the page to read the answers, but
 * sends `Host: evil.example`. So this function accepts only names that the owner of a public domain cannot
 * have:
 *
 * - IP addresses, which are not names. Prometheus and the kubelet use the Pod's address.
 * - Names with a single label, such as `localhost` or a Service's `NAME` in its own namespace. A registered
 *   domain has at least two labels.
 * - Names that end in `.svc`, which is not a top-level domain of the public DNS, or in `.svc.cluster.local`,
 *   because `.local` is reserved for the local network (RFC 6762). Examples are `NAME.NAMESPACE.svc`,
 *   `NAME.NAMESPACE.svc.cluster.local`, and the names of a Pod behind a headless Service.
 *
 * `NAME.NAMESPACE` is not accepted, because `evil.dev` looks the same. For the same reason a name that merely
 * contains `.svc.` is not accepted. Add such names, and names with another cluster domain, to the setting
 * `CHANCERY_HTTP_HOSTS`.
 *
 * @param header - the header as sent, with or without a port.
 * @param names - additional names, in lower case.
 */
export function isAcceptedHost(header: string, names: readonly string[]): boolean {
  const host = hostOf(header);
  if (host === undefined) return false;
  if (isIPv4(host) || isIPv6(host)) return true;
  if (!NAME.test(host)) return false;
  const isOneLabel = !host.includes('.');
  return isOneLabel || /\.svc(\.cluster\.local)?$/.test(host) || names.includes(host);
}

/**
 * The names in the setting `CHANCERY_HTTP_HOSTS`, in lower case. Empty when the setting is not set.
 *
 * @throws ConfigurationError `CONFIG` for an entry that is not a host name without a port.
 */
export function httpHosts(read: ReadSetting): readonly string[] {
  const text = read(HTTP_HOSTS);
  if (text === undefined) return [];
  const names = text.split(',').map((part) => part.trim().toLowerCase().replace(/\.$/, ''));
  if (names.every((name) => NAME.test(name))) return [...new Set(names)];
  throw unusable(HTTP_HOSTS, 'names of hosts without ports, as a,b', text);
}

/** The host without its port, without the brackets of an IPv6 address, and without a trailing dot. */
function hostOf(header: string): string | undefined {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::[0-9]*)?$/.exec(header.trim()) ?? [];
  if (address !== undefined) return isIPv6(address) ? address : undefined;
  return name?.toLowerCase().replace(/\.$/, '');
}
