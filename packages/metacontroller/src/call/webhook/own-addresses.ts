import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The addresses that a webhook must not have. */
interface OwnAddressesOptions {
  /**
   * The ambassador: `http://127.0.0.1:8001` or `unix:/path`. The URL of a webhook cannot refer to a
   * unix socket.
   */
  readonly apiUrl: string;
  /** Ports on which this process listens. */
  readonly ownPorts: () => readonly number[];
  /** Resolves a host. Default: the resolver of the system. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

/**
 * Recognizes the addresses of the ambassador and of this process. Without this check, everyone who
 * may write a CompositeController could make the operator send requests with the ambassador's
 * rights.
 *
 * The check gets the resolved addresses of a connection. So the result does not depend on how an
 * address is spelled, or on the name that resolves to it.
 */
export class OwnAddresses {
  readonly #options: Required<OwnAddressesOptions>;

  constructor(options: OwnAddressesOptions) {
    this.#options = { addressesOf: resolved, ...options };
  }

  /** The reason why a connection to these addresses is refused. Undefined when it is allowed. */
  async refusal(addresses: readonly string[], port: number): Promise<string | undefined> {
    const local = localAddresses();
    const isLocal = addresses.some((address) => isIn(local, address));
    if (isLocal && this.#options.ownPorts().includes(port)) return 'it is a port of this process';
    const ambassador = ambassadorOf(this.#options.apiUrl);
    if (ambassador === undefined || ambassador.port !== port) return undefined;
    const theirs = await this.#options.addressesOf(ambassador.host).catch(() => []);
    const isThere = theirs.some((address) => isIn(local, address))
      ? isLocal
      : addresses.some((address) => isIn(listOf(theirs), address));
    return isThere ? 'it is the address of the ambassador' : undefined;
  }
}

/**
 * Names that always mean the loopback (RFC 6761), even if a resolver answers otherwise. Some
 * resolvers do not recognize them with a dot at the end.
 */
const LOCALHOST = /(?:^|[.])localhost[.]?$/i;

/** The addresses of a host. An address resolves to itself. */
export async function resolved(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  if (LOCALHOST.test(host)) return ['127.0.0.1', '::1'];
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

function ambassadorOf(apiUrl: string) {
  if (!URL.canParse(apiUrl)) return undefined;
  const { protocol, hostname, port } = new URL(apiUrl);
  if (!/^https?:$/.test(protocol)) return undefined;
  return { host: bareHost(hostname), port: Number(port) || defaultPort(protocol) };
}

/** A host without the brackets that an IPv6 address has in a URL. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80;
}

/**
 * The addresses of this machine: loopback, the addresses that mean "this machine" (Linux connects
 * `0.0.0.0` and `::` to the loopback), and the addresses of this Pod. They are read each time,
 * because a Pod may get another address.
 */
function localAddresses(): BlockList {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const list = listOf(['::1', '::', ...own.map(({ address }) => address)]);
  list.addSubnet('127.0.0.1', 8, 'ipv4'); // all 16 million loopback addresses
  list.addSubnet('0.0.0.0', 8, 'ipv4');
  return list;
}

function listOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const address of addresses) {
    const bare = withoutZone(address);
    if (isIP(bare) !== 0) list.addAddress(bare, familyOf(bare));
  }
  return list;
}

/**
 * True when the list contains the address. Also recognizes an IPv4 address that is written as an
 * IPv6 address.
 */
function isIn(list: BlockList, address: string): boolean {
  const bare = withoutZone(address);
  return isIP(bare) !== 0 && list.check(bare, familyOf(bare));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}
