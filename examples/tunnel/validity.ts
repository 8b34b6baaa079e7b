import type { Service } from 'chancery/kubernetes';
import { otherPorts, tcpPorts } from './client-deployment.ts';
import type { Tunnel } from './tunnel.ts';

/** What the schema cannot refuse, as a sentence; undefined when nothing is wrong. */
export function problemIn({ metadata: { namespace }, spec }: Tunnel): string | undefined {
  const { serviceRef, authTokenRef, licenseRef } = spec;
  for (const [field, ref] of Object.entries({ serviceRef, authTokenRef, licenseRef })) {
    if (ref?.namespace === undefined || ref.namespace === namespace) continue;
    return `spec.${field}.namespace is ${ref.namespace}: a Tunnel is in the namespace of what it uses`;
  }
  return undefined;
}

/** Why nothing can be carried for a Service; undefined when something can. */
export function problemWith(service: Service): string | undefined {
  if (tcpPorts(service).length > 0) return undefined;
  const others = otherPorts(service);
  return others.length === 0
    ? `Service ${service.metadata.name} has no ports`
    : `Service ${service.metadata.name} has ${others.join(', ')}: a tunnel carries TCP`;
}
