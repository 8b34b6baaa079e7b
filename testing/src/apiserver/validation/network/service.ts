import { isIP } from 'node:net';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ChangeCheck } from '../fields/change.ts';
import {
  type Check,
  each,
  fields,
  formed,
  isEmpty,
  itemsOf,
  maybeOneOf,
  oneOf,
  uniqueBy,
} from '../fields/check.ts';
import { dnsLabel, dnsSubdomain, labelKey } from '../fields/formats.ts';
import { internalJson } from '../fields/internal-json.ts';
import { ipAddress, network } from '../fields/ip.ts';
import { labels } from '../fields/label-selector.ts';
import { duplicate, forbidden, invalidValue, type Problem, required } from '../fields/problem.ts';
import { PROTOCOLS } from '../pods/container.ts';
import { portNumber, portOrName } from '../pods/probe.ts';

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

/** The port of the kubelet, which a load balancer must not use. */
const KUBELET_PORT = 10_250;

function clusterAddress(spec: Json): readonly Problem[] {
  const { type, clusterIP, externalName } = spec;
  const at = 'spec.clusterIP';
  if (type === 'ExternalName') {
    const problems: Problem[] = [];
    if (!isEmpty(clusterIP)) {
      problems.push(forbidden('spec.clusterIPs', 'may not be set for ExternalName services'));
    }
    const name = String(externalName ?? '').replace(/\.$/, '');
    if (name === '') return [...problems, required('spec.externalName')];
    return [...problems, ...formed(dnsSubdomain)(name, 'spec.externalName')];
  }
  if (clusterIP === 'None' && (type === 'LoadBalancer' || type === 'NodePort')) {
    return [
      invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`),
    ];
  }
  if (isEmpty(clusterIP) || clusterIP === 'None' || isIP(String(clusterIP)) !== 0) return [];
  return [invalidValue(at, clusterIP, "must be empty, 'None', or a valid IP address")];
}

function ports(spec: Json): readonly Problem[] {
  const list = itemsOf(spec.ports);
  const at = 'spec.ports';
  const headless = spec.clusterIP === 'None';
  if (list.length === 0) {
    return headless || spec.type === 'ExternalName' ? [] : [required(at)];
  }
  const one = portCheck(list.length > 1);
  return [
    ...(spec.type === 'LoadBalancer' ? list.flatMap(kubeletPort) : []),
    ...each(one)(spec.ports, at),
    ...uniqueBy('name')(spec.ports, at),
  ];
}

function kubeletPort({ port }: Json, at: number): readonly Problem[] {
  if (port !== KUBELET_PORT) return [];
  const why = `may not expose port ${KUBELET_PORT} externally since it is used by kubelet`;
  return [invalidValue(`spec.ports[${at}]`, port, why)];
}

/**
 * Checks a port of a Service.
 * @param several - true for a Service with several ports, each of which needs a name.
 */
function portCheck(several: boolean): Check {
  return fields({
    name: (value, field) => {
      if (isEmpty(value)) return several ? [required(field)] : [];
      return formed(dnsLabel)(value, field);
    },
    port: (value, field) => portNumber(value ?? 0, field),
    protocol: oneOf(...PROTOCOLS),
    targetPort: portOrName,
    appProtocol: formed(labelKey),
  });
}

function affinity(spec: Json): readonly Problem[] {
  const { sessionAffinity, sessionAffinityConfig } = spec;
  const at = 'spec.sessionAffinityConfig';
  if (sessionAffinity === 'None') {
    const why = 'must not be set when session affinity is None';
    return sessionAffinityConfig === undefined ? [] : [forbidden(at, why)];
  }
  if (sessionAffinity !== 'ClientIP') {
    return oneOf('ClientIP', 'None')(sessionAffinity, 'spec.sessionAffinity');
  }
  const client = isObject(sessionAffinityConfig) ? sessionAffinityConfig.clientIP : undefined;
  const seconds = Number(isObject(client) ? client.timeoutSeconds : 0);
  if (seconds > 0 && seconds <= 86_400) return [];
  const why = 'must be greater than 0 and less than 86400';
  return [invalidValue(`${at}.clientIP.timeoutSeconds`, seconds, why)];
}

function nodePorts(spec: Json): readonly Problem[] {
  const seen = new Set<string>();
  return itemsOf(spec.ports).flatMap(({ nodePort, protocol }, at) => {
    if (!nodePort) return [];
    const field = `spec.ports[${at}].nodePort`;
    if (spec.type === 'ClusterIP' || spec.type === 'ExternalName') {
      return [forbidden(field, `may not be used when \`type\` is '${spec.type}'`)];
    }
    if (seen.has(`${protocol}/${nodePort}`)) return [duplicate(field, nodePort)];
    seen.add(`${protocol}/${nodePort}`);
    return [];
  });
}

function repeatedPorts(spec: Json): readonly Problem[] {
  const seen = new Set<string>();
  return itemsOf(spec.ports).flatMap(({ port, protocol }, at) => {
    const key = `${protocol}/${port}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const shown = internalJson('io.k8s.api.core.v1.ServicePort', { port, protocol });
    const { reason, field } = duplicate(`spec.ports[${at}]`, '');
    return [{ reason, field, message: `Duplicate value: ${shown}` }];
  });
}

function traffic(spec: Json): readonly Problem[] {
  const policy = spec.externalTrafficPolicy;
  const external = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  const at = 'spec.externalTrafficPolicy';
  const reachable = external || !isEmpty(spec.externalIPs);
  const problems: Problem[] = [];
  if (!reachable && !isEmpty(policy)) {
    const why = 'may only be set for externally-accessible services';
    problems.push(invalidValue(at, policy, why));
  }
  if (reachable) problems.push(...oneOf('Cluster', 'Local')(policy, at));
  const internal = maybeOneOf('Cluster', 'Local');
  return [...problems, ...internal(spec.internalTrafficPolicy, 'spec.internalTrafficPolicy')];
}

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const;

/** The problems of a Service, in the server's order. */
export function service(object: StoredObject): readonly Problem[] {
  const spec = specOf(object);
  return [
    ...clusterAddress(spec),
    ...ports(spec),
    ...labels(spec.selector, 'spec.selector'),
    ...affinity(spec),
    ...each(ipAddress)(spec.externalIPs, 'spec.externalIPs'),
    ...oneOf(...TYPES)(spec.type, 'spec.type'),
    ...nodePorts(spec),
    ...repeatedPorts(spec),
    ...each(network)(spec.loadBalancerSourceRanges, 'spec.LoadBalancerSourceRanges'),
    ...loadBalancerOnly(spec),
    ...traffic(spec),
  ];
}

function loadBalancerOnly(spec: Json): readonly Problem[] {
  if (spec.type === 'LoadBalancer') return [];
  const why = "may only be used when `type` is 'LoadBalancer'";
  const only: readonly (readonly [name: string, shown: string])[] = [
    ['loadBalancerSourceRanges', 'LoadBalancerSourceRanges'],
    ['allocateLoadBalancerNodePorts', 'allocateLoadBalancerNodePorts'],
    ['loadBalancerClass', 'loadBalancerClass'],
  ];
  return only.flatMap(([name, shown]) =>
    isEmpty(spec[name]) ? [] : [forbidden(`spec.${shown}`, why)],
  );
}

/**
 * Refuses a change of a Service's cluster address, unless the type of the Service is or was `ExternalName`.
 */
export const changedService: ChangeCheck = (object, previous) => {
  const [now, then] = [specOf(object), specOf(previous)];
  if (now.type === 'ExternalName' || then.type === 'ExternalName') return [];
  const [before] = Array.isArray(then.clusterIPs) ? then.clusterIPs : [then.clusterIP];
  if (isEmpty(before)) return [];
  const addresses = Array.isArray(now.clusterIPs) ? now.clusterIPs : [];
  const [after] = addresses;
  if (after === before) return familyChange(now, then);
  const why = isEmpty(after) ? 'primary clusterIP can not be unset' : 'may not change once set';
  return [invalidValue('spec.clusterIPs[0]', addresses, why), ...familyChange(now, then)];
};

function familyChange(now: Json, then: Json): readonly Problem[] {
  const [before] = Array.isArray(then.ipFamilies) ? then.ipFamilies : [];
  const families = Array.isArray(now.ipFamilies) ? now.ipFamilies : [];
  if (before === undefined || families[0] === before) return [];
  const why =
    families.length === 0 ? 'primary ipFamily can not be unset' : 'may not change once set';
  return [invalidValue('spec.ipFamilies[0]', families, why)];
}
