import type { Ingress, Service } from 'chancery/kubernetes';
import { inUrl } from '../url-parts.ts';
import type { Config } from './config.ts';
import { planIngress } from './ingress-plan.ts';
import { isGenerated } from './merged-ingress.ts';
import { EXPOSE_URL, ingressNameOf } from './service-wish.ts';

/** What becomes of a Service that is to be exposed. */
export interface Exposure {
  /** Undefined while it has none yet. */
  readonly url?: string;
  /** What the Service is to be; undefined: that is left to others. */
  readonly type?: 'NodePort' | 'LoadBalancer';
  readonly problem?: { readonly reason: string; readonly note: string };
}

export interface Surroundings {
  /** The Ingress of the name that the Service asks for. */
  readonly ingress: Ingress | undefined;
  /** The address of the one node; undefined when there is not one. */
  readonly nodeIp: string | undefined;
}

/** A reason that time may help. */
export const NO_NODE_ADDRESS = 'NoNodeAddress';

/** Pure: the strategies of the original, by `exposer`. Undefined: not known yet, what was told stays. */
export function exposureOf(
  service: Service,
  config: Config,
  around: Surroundings,
): Exposure | undefined {
  if (service.spec?.type === 'ExternalName') {
    return failed('NotExposable', 'a Service of type ExternalName has no Pods to send requests to');
  }
  if (config.exposer === 'NodePort') return onNodePort(service, around.nodeIp);
  if (config.exposer === 'LoadBalancer') return onLoadBalancer(service);
  return onIngress(service, config, around.ingress);
}

function onIngress(
  service: Service,
  config: Config,
  ingress: Ingress | undefined,
): Exposure | undefined {
  const { plan, refusal } = planIngress(service, config);
  if (plan === undefined) {
    const url = service.metadata.annotations?.[EXPOSE_URL]; // the Ingress stays, and so does this
    return { ...failed('NotExposable', refusal), ...(url !== undefined && { url }) };
  }
  if (ingress === undefined || ingress.metadata.deletionTimestamp !== undefined) return undefined;
  const name = ingressNameOf(service);
  if (!isGenerated(ingress)) {
    return failed('ErrResourceExists', `Ingress ${name} is somebody else's: it is left as it is`);
  }
  const { host, path, url } = plan;
  const rule = ingress.spec?.rules?.find((each) => each.host === host);
  const taker = rule?.http?.paths.find((each) => each.path === path)?.backend.service?.name;
  if (taker === undefined) return undefined;
  if (taker === service.metadata.name) return { url };
  return failed('PathTaken', `${host}${path} is that of Service ${taker}`);
}

function onNodePort({ metadata, spec }: Service, nodeIp: string | undefined): Exposure {
  const [port, ...others] = spec?.ports ?? [];
  if (port === undefined || others.length > 0) {
    const note = `Service ${metadata.name} needs exactly one port to be exposed on a node`;
    const isOpen = spec?.type === 'NodePort'; // a slip of the pen closes nothing
    return { ...failed('OnePortOnly', note), ...(isOpen && { type: 'NodePort' }) };
  }
  if (nodeIp === undefined) {
    return failed(NO_NODE_ADDRESS, 'set node-ip: there is not exactly one node with an address');
  }
  const { nodePort, name } = port;
  if (nodePort === undefined) return { type: 'NodePort' };
  return reached('NodePort', `${protocolOf([name])}://${inUrl(nodeIp)}:${nodePort}`);
}

function onLoadBalancer({ metadata, spec, status }: Service): Exposure {
  const { ports = [] } = spec ?? {};
  if (ports.length === 0) return failed('NoPort', `Service ${metadata.name} has no port`);
  const [given] = status?.loadBalancer?.ingress ?? [];
  const address = given?.hostname ?? given?.ip ?? spec?.loadBalancerIP;
  if (address === undefined || address === '') return { type: 'LoadBalancer' };
  const protocol = protocolOf(ports.map(({ name }) => name));
  return reached('LoadBalancer', `${protocol}://${inUrl(address)}`);
}

/** Addresses come from people, too: from the configuration, and from `loadBalancerIP`. */
function reached(type: NonNullable<Exposure['type']>, url: string): Exposure {
  if (URL.canParse(url)) return { type, url };
  return { type, ...failed('NoAddress', `${JSON.stringify(url.slice(0, 80))} is no URL`) };
}

function protocolOf(portNames: readonly (string | undefined)[]): 'http' | 'https' {
  return portNames.includes('https') ? 'https' : 'http';
}

function failed(reason: string, note: string): Exposure {
  return { problem: { reason, note } };
}
