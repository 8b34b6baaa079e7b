import { BlockList, isIP, isIPv4 } from 'node:net';
import { isEmpty } from './check.ts';
import { invalidValue, type Problem } from './problem.ts';

/** Requires an IPv4 or IPv6 address. */
export function ipAddress(value: unknown, field: string): readonly Problem[] {
  if (value === undefined) return [];
  if (isIP(String(value)) !== 0) return [];
  const why = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return [invalidValue(field, value, why)];
}

interface Network {
  readonly address: string;
  readonly length: number;
}

/** Parses a range such as `10.0.0.0/8`; undefined for an invalid range. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length = '', rest] = text.split('/');
  const most = isIPv4(address) ? 32 : 128;
  if (isIP(address) === 0 || rest !== undefined || !/^\d{1,3}$/.test(length)) return undefined;
  return Number(length) <= most ? { address, length: Number(length) } : undefined;
}

export function network(value: unknown, field: string): readonly Problem[] {
  if (isEmpty(value) || parseNetwork(String(value)) !== undefined) return [];
  const why = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  return [invalidValue(field, value, why)];
}

/** True when the address is in the range. */
export function isInNetwork(address: string, range: string): boolean {
  const known = parseNetwork(range);
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  if (known === undefined || isIP(address) === 0 || isIPv4(known.address) !== isIPv4(address)) {
    return false;
  }
  const block = new BlockList();
  block.addSubnet(known.address, known.length, family);
  return block.check(address, family);
}

/** True when `inner` lies within `outer` and is smaller. */
export function isPartOf(inner: Network, outer: Network): boolean {
  const families = [inner, outer].map(({ address }) => (isIPv4(address) ? 'ipv4' : 'ipv6'));
  const [family] = families;
  if (family === undefined || family !== families[1]) return false;
  const block = new BlockList();
  block.addSubnet(outer.address, outer.length, family as 'ipv4' | 'ipv6');
  return inner.length > outer.length && block.check(inner.address, family as 'ipv4' | 'ipv6');
}
