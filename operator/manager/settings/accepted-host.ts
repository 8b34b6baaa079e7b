import { isIPv4, isIPv6 } from 'node:net';
import { type ReadSetting, unusable } from './text.ts';

/** The setting that names further hosts. */
export const HTTP_HOSTS = 'CHANCERY_HTTP_HOSTS';

/** Labels of the DNS in small letters, 253 characters at most. */
const NAME = /^(?!.{254})[a-z0-9_][-a-z0-9_]{0,62}(\.[a-z0-9_][-a-z0-9_]{0,62})*$/;

/**
 * True when a request with this Host header may read what the process does.
 *
 * A page of `evil.example` in a browser can let its own name resolve to an address that the browser
 * reaches, such as 127.0.0.1 during a port-forward (DNS rebinding). The browser then lets the page read
 * the answers, and sends `Host: evil.example`. So the names that are accepted are those that the owner of
 * a public domain cannot have:
 *
 * - IP addresses, which are no names. Prometheus and the kubelet ask by the Pod's address.
 * - Names of one label, such as `localhost` or a Service's `NAME` in its own namespace. Everybody who
 *   registers a domain gets at least two labels.
 * - Names that end in `.svc`, which is no top-level domain of the public DNS, and in
 *   `.svc.cluster.local`, because `.local` is reserved for the local network (RFC 6762):
 *   `NAME.NAMESPACE.svc`, `NAME.NAMESPACE.svc.cluster.local`, and those of a Pod behind a headless Service.
 *
 * `NAME.NAMESPACE` is not accepted: `evil.dev` has the same form. For the same reason nothing is accepted
 * that only contains `.svc.`. Such names, and those of another cluster domain, are for the setting.
 *
 * @param header - as it was sent, with or without a port.
 * @param names - further names, in small letters.
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
 * The names that the setting lists, in small letters; none when it is unset.
 *
 * @throws ConfigurationError `CONFIG` for what is no name without a port.
 */
export function httpHosts(read: ReadSetting): readonly string[] {
  const text = read(HTTP_HOSTS);
  if (text === undefined) return [];
  const names = text.split(',').map((part) => part.trim().toLowerCase().replace(/\.$/, ''));
  if (names.every((name) => NAME.test(name))) return [...new Set(names)];
  throw unusable(HTTP_HOSTS, 'names of hosts without ports, as a,b', text);
}

/** The host without its port, the brackets of an IPv6 address and the dot of the root. */
function hostOf(header: string): string | undefined {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::[0-9]*)?$/.exec(header.trim()) ?? [];
  if (address !== undefined) return isIPv6(address) ? address : undefined;
  return name?.toLowerCase().replace(/\.$/, '');
}
