import type { Desired } from 'chancery';
import type { Ingress } from 'chancery/kubernetes';
import { inUrl } from '../url-parts.ts';

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
  const host = rule?.host ?? address?.hostname ?? address?.ip;
  if (host === undefined || host.startsWith('*')) return undefined;
  const protocol = spec.tls === undefined ? 'http' : 'https';
  return `${protocol}://${inUrl(host)}${rule?.http?.paths[0]?.path ?? '/'}`;
}
