import type { Json } from '../objects/metadata.ts';
import { asObject, each, fill } from './fill.ts';

/** The default duration of session affinity: three hours. */
const AFFINITY_SECONDS = 10_800;

/** The defaults of a Service before addresses and ports are allocated. */
export function defaultServiceSpec(serviceSpec: Json): Json {
  const typed = fill(serviceSpec, { type: 'ClusterIP', sessionAffinity: 'None' });
  const { sessionAffinityConfig: _, ...others } = typed;
  // If the Service has no session affinity, the configuration of an earlier affinity is removed.
  const spec = typed.sessionAffinity === 'None' ? others : typed;
  const isName = spec.type === 'ExternalName';
  const isExternal = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  const reachable =
    isExternal || (Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0 && !isName);
  return fill(spec, {
    ports: (ports: unknown) => each(ports, defaultPort),
    ...(spec.sessionAffinity === 'ClientIP' ? { sessionAffinityConfig: clientAffinity } : {}),
    ...(reachable ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(isName ? {} : { internalTrafficPolicy: 'Cluster' }),
    ...(spec.type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  });
}

function defaultPort(port: Json): Json {
  const target = port.targetPort;
  const named = target !== undefined && target !== 0 && target !== '';
  return { ...fill(port, { protocol: 'TCP' }), targetPort: named ? target : port.port };
}

function clientAffinity(value: unknown): Json {
  return fill(asObject(value), {
    clientIP: (client: unknown) => fill(asObject(client), { timeoutSeconds: AFFINITY_SECONDS }),
  });
}
