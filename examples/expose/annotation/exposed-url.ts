import type { Desired, Ingress } from 'chancery';

/**
 * Where the Service answers: under its host, or else under the address that an ingress controller has
 * reported. Undefined while there is no one address: none was reported, or the host is a wildcard.
 */
export function exposedUrl(
  { spec = {} }: Desired<Ingress>,
  { status }: Pick<Ingress, 'status'>,
): string | undefined {
  const [rule] = spec.rules ?? [];
  const [address] = status?.loadBalancer?.ingress ?? [];
  const host = rule?.host ?? address?.hostname ?? bracketed(address?.ip);
  if (host === undefined || host.startsWith('*')) return undefined;
  const protocol = spec.tls === undefined ? 'http' : 'https';
  return `${protocol}://${host}${rule?.http?.paths[0]?.path ?? '/'}`;
}

function bracketed(ip: string | undefined): string | undefined {
  return ip?.includes(':') ? `[${ip}]` : ip;
}
