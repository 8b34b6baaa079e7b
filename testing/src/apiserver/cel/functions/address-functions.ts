import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';

type Family = 'ipv4' | 'ipv6';

/**
 * An address without a zone. Like the server, this refuses IPv4 addresses that are written as IPv6 addresses.
 */
class CelAddress {
  readonly text: string;
  readonly family: Family;

  constructor(text: string) {
    if (isIP(text) === 0) throw parseError('IP Address', text, 'unable to parse IP');
    if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(text)) {
      throw new Error(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
    }
    if (text.includes('%'))
      throw new Error(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
    this.family = isIPv4(text) ? 'ipv4' : 'ipv6';
    this.text = canonical(text, this.family);
  }

  isIn(...networks: readonly string[]): boolean {
    return networks.some((network) => {
      const [address = '', length = ''] = network.split('/');
      return contains({ address, length: Number(length) }, this.text, this.family);
    });
  }

  equals(other: unknown): boolean {
    return other instanceof CelAddress && other.text === this.text;
  }
}

/** A range of addresses. */
class CelNetwork {
  readonly address: CelAddress;
  readonly length: number;

  constructor(text: string) {
    const [, address = '', length = ''] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
    const most = isIPv4(address) ? 32 : 128;
    if (isIP(address) === 0 || Number(length) > most) {
      throw parseError('CIDR', text, `netip.ParsePrefix(${JSON.stringify(text)}): no '/'`);
    }
    this.address = new CelAddress(address);
    this.length = Number(length);
  }

  get text(): string {
    return `${this.address.text}/${this.length}`;
  }

  masked(): CelNetwork {
    const { family } = this.address;
    const bits = family === 'ipv4' ? 32 : 128;
    const shift = BigInt(bits - this.length);
    const value = (bitsOf(this.address.text, family) >> shift) << shift;
    return new CelNetwork(`${addressOf(value, family)}/${this.length}`);
  }

  contains(address: CelAddress): boolean {
    if (address.family !== this.address.family) return false;
    return contains(
      { address: this.address.text, length: this.length },
      address.text,
      address.family,
    );
  }

  equals(other: unknown): boolean {
    return other instanceof CelNetwork && other.text === this.text;
  }
}

/** Registers `ip`, `cidr` and their methods. */
export function registerAddressFunctions(environment: CelEnvironment): void {
  registerAddresses(environment);
  registerNetworks(environment);
}

function registerAddresses(environment: CelEnvironment): void {
  class Ip {}
  const ask = (name: string, answer: (address: CelAddress) => boolean): void => {
    environment.registerFunction(`net.IP.${name}(): bool`, answer);
  };
  environment
    .registerType('net.IP', CelAddress)
    .registerOperator('net.IP == net.IP', (a: CelAddress, b: CelAddress) => a.equals(b))
    .registerFunction('ip(string): net.IP', (text: string) => new CelAddress(text))
    .registerFunction('isIP(string): bool', (text: string) => succeeds(() => new CelAddress(text)))
    .registerFunction('string(net.IP): string', ({ text }: CelAddress) => text)
    .registerFunction('net.IP.family(): int', ({ family }: CelAddress) =>
      family === 'ipv4' ? 4n : 6n,
    )
    .registerType('IpNamespace', Ip)
    .registerConstant('ip', 'IpNamespace', new Ip())
    .registerFunction(
      'IpNamespace.isCanonical(string): bool',
      (_: unknown, text: string) => new CelAddress(text).text === text,
    );
  ask('isUnspecified', ({ text }) => text === '0.0.0.0' || text === '::');
  ask('isLoopback', (address) => address.isIn('127.0.0.0/8', '::1/128'));
  ask('isLinkLocalMulticast', isLinkLocalMulticast);
  ask('isLinkLocalUnicast', (address) => address.isIn('169.254.0.0/16', 'fe80::/10'));
  ask('isGlobalUnicast', isGlobalUnicast);
}

function isLinkLocalMulticast(address: CelAddress): boolean {
  return address.isIn('224.0.0.0/24', 'ff02::/16');
}

function isGlobalUnicast(address: CelAddress): boolean {
  return !address.isIn(
    '0.0.0.0/32',
    '255.255.255.255/32',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '224.0.0.0/4',
    '::/127',
    'fe80::/10',
    'ff00::/8',
  );
}

function registerNetworks(environment: CelEnvironment): void {
  const inside = (outer: CelNetwork, inner: CelNetwork): boolean =>
    outer.length <= inner.length && outer.contains(inner.address);
  environment
    .registerType('net.CIDR', CelNetwork)
    .registerOperator('net.CIDR == net.CIDR', (a: CelNetwork, b: CelNetwork) => a.equals(b))
    .registerFunction('cidr(string): net.CIDR', (text: string) => new CelNetwork(text))
    .registerFunction('isCIDR(string): bool', (text: string) =>
      succeeds(() => new CelNetwork(text)),
    )
    .registerFunction('string(net.CIDR): string', ({ text }: CelNetwork) => text)
    .registerFunction('net.CIDR.containsIP(string): bool', (outer: CelNetwork, text: string) =>
      outer.contains(new CelAddress(text)),
    )
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (outer: CelNetwork, inner: CelAddress) =>
      outer.contains(inner),
    )
    .registerFunction('net.CIDR.containsCIDR(string): bool', (outer: CelNetwork, text: string) =>
      inside(outer, new CelNetwork(text)),
    )
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', inside)
    .registerFunction('net.CIDR.ip(): net.IP', ({ address }: CelNetwork) => address)
    .registerFunction('net.CIDR.masked(): net.CIDR', (network: CelNetwork) => network.masked())
    .registerFunction('net.CIDR.prefixLength(): int', ({ length }: CelNetwork) => BigInt(length));
}

function parseError(what: string, text: string, why: string): Error {
  return new Error(
    `${what} ${JSON.stringify(text)} parse error during conversion from string: ${why}`,
  );
}

function succeeds(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

function canonical(text: string, family: Family): string {
  return new SocketAddress({ address: text, family }).address;
}

function contains(
  network: { readonly address: string; readonly length: number },
  address: string,
  family: Family,
): boolean {
  const networkFamily = isIPv4(network.address) ? 'ipv4' : 'ipv6';
  if (networkFamily !== family) return false;
  const block = new BlockList();
  block.addSubnet(network.address, network.length, networkFamily);
  return block.check(address, family);
}

function bitsOf(text: string, family: Family): bigint {
  if (family === 'ipv4') {
    return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
  }
  const [left = '', right = ''] = text.split('::');
  const groups = (half: string): string[] => (half === '' ? [] : half.split(':'));
  const missing = 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array<string>(Math.max(missing, 0)).fill('0'), ...groups(right)];
  return all.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function addressOf(bits: bigint, family: Family): string {
  if (family === 'ipv4') {
    return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
  }
  return Array.from({ length: 8 }, (_, at) =>
    ((bits >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  ).join(':');
}
