import { isIP } from 'node:net';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type Check, each, fields, formed, isEmpty, must, needed } from '../fields/check.ts';
import { dnsLabel, dnsSubdomain, portName, wildcardDnsSubdomain } from '../fields/formats.ts';
import { isPartOf, network, parseNetwork } from '../fields/ip.ts';
import { labelSelector } from '../fields/label-selector.ts';
import {
  forbidden,
  invalidShown,
  invalidValue,
  notSupported,
  type Problem,
  required,
  shown,
} from '../fields/problem.ts';
import { portNumber } from '../pods/probe.ts';

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

function backend(value: unknown, field: string): readonly Problem[] {
  if (!isObject(value)) return [];
  const { resource, service } = value;
  if (isObject(resource) && isObject(service)) {
    return [invalidValue(field, '', 'cannot set both resource and service backends')];
  }
  if (isObject(resource)) {
    return fields({ kind: needed(), name: needed() })(resource, `${field}.resource`);
  }
  if (!isObject(service)) {
    return [invalidValue(field, '', 'resource or service backend is required')];
  }
  const name = must(formed(dnsLabel))(service.name, `${field}.service.name`);
  return [...name, ...backendPort(service.port, field)];
}

function backendPort(value: unknown, field: string): readonly Problem[] {
  const { name, number } = isObject(value) ? value : {};
  if (!isEmpty(name) && number) {
    return [invalidValue(field, '', 'cannot set both port name & port number')];
  }
  const at = `${field}.service.port`;
  if (!isEmpty(name)) return formed(portName)(name, `${at}.name`);
  return number
    ? portNumber(number, `${at}.number`)
    : [required(field, 'port name or number is required')];
}

const NOT_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F'];
const NOT_AT_END = ['/..', '/.'];
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

function ingressPath({ path, pathType }: Json, field: string): readonly Problem[] {
  const at = `${field}.path`;
  const text = String(path ?? '');
  if (isEmpty(pathType)) return [required(`${field}.pathType`, 'pathType must be specified')];
  if (!PATH_TYPES.includes(String(pathType))) {
    return [notSupported(`${field}.pathType`, pathType, PATH_TYPES)];
  }
  const free = pathType === 'ImplementationSpecific';
  const absolute = text.startsWith('/') || (free && text === '');
  const problems = absolute ? [] : [invalidValue(at, text, 'must be an absolute path')];
  if (free) return problems;
  return [
    ...problems,
    ...NOT_IN_PATHS.filter((part) => text.includes(part)).map((part) =>
      invalidValue(at, text, `must not contain '${part}'`),
    ),
    ...NOT_AT_END.filter((part) => text.endsWith(part)).map((part) =>
      invalidValue(at, text, `cannot end with '${part}'`),
    ),
  ];
}

function host(value: unknown, field: string): readonly Problem[] {
  if (isEmpty(value)) return [];
  const name = String(value);
  if (isIP(name) !== 0) return [invalidValue(field, name, 'must be a DNS name, not an IP address')];
  return formed(name.includes('*') ? wildcardDnsSubdomain : dnsSubdomain)(name, field);
}

const rule: Check = fields({
  host,
  http: fields({
    paths: must(
      each(
        fields({}, ingressPath, (path, field) =>
          // If the path type is missing, the server does not check the path's other fields.
          isEmpty(path.pathType)
            ? []
            : backend(isObject(path.backend) ? path.backend : {}, `${field}.backend`),
        ),
      ),
    ),
  }),
});

const tls: Check = fields({
  hosts: each((value, field) =>
    formed(String(value).includes('*') ? wildcardDnsSubdomain : dnsSubdomain)(value, field),
  ),
  secretName: formed(dnsSubdomain),
});

export function ingress(object: StoredObject): readonly Problem[] {
  const spec = specOf(object);
  const problems: Problem[] = [];
  if (isEmpty(spec.rules) && spec.defaultBackend === undefined) {
    const why = 'either `defaultBackend` or `rules` must be specified';
    problems.push(invalidShown('spec', shown(spec.rules), why));
  }
  const check = fields({
    defaultBackend: backend,
    rules: each(rule),
    tls: each(tls),
    ingressClassName: formed(dnsSubdomain),
  });
  return [...problems, ...check(spec, 'spec')];
}

function policyPort({ protocol, port, endPort }: Json, field: string): readonly Problem[] {
  const problems: Problem[] = [];
  const protocols = ['TCP', 'UDP', 'SCTP'];
  if (protocol !== undefined && !protocols.includes(String(protocol))) {
    problems.push(notSupported(`${field}.protocol`, protocol, protocols));
  }
  const end = (why: string): Problem => invalidValue(`${field}.endPort`, endPort, why);
  if (port === undefined) {
    if (endPort === undefined) return problems;
    return [...problems, end('may not be specified when `port` is not specified')];
  }
  if (typeof port === 'string') {
    if (endPort !== undefined) {
      problems.push(end('may not be specified when `port` is non-numeric'));
    }
    return [...problems, ...formed(portName)(port, `${field}.port`)];
  }
  problems.push(...portNumber(port, `${field}.port`));
  if (endPort === undefined) return problems;
  if (Number(endPort) < Number(port)) {
    problems.push(end('must be greater than or equal to `port`'));
  }
  return [...problems, ...portNumber(endPort, `${field}.endPort`)];
}

function addressBlock({ cidr, except }: Json, field: string): readonly Problem[] {
  if (isEmpty(cidr)) return [required(`${field}.cidr`)];
  const outer = parseNetwork(String(cidr));
  if (outer === undefined) return network(cidr, `${field}.cidr`);
  return (Array.isArray(except) ? except : []).flatMap((text, at) => {
    const item = `${field}.except[${at}]`;
    const inner = parseNetwork(String(text));
    if (inner === undefined) return network(text, item);
    if (isPartOf(inner, outer)) return [];
    return [invalidValue(item, text, 'must be a strict subset of `cidr`')];
  });
}

function peer(value: Json, field: string): readonly Problem[] {
  const { podSelector, namespaceSelector, ipBlock } = value;
  const problems = [
    ...labelSelector(podSelector, `${field}.podSelector`),
    ...labelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...(isObject(ipBlock) ? addressBlock(ipBlock, `${field}.ipBlock`) : []),
  ];
  const count = [podSelector, namespaceSelector, ipBlock].filter(isObject).length;
  if (count === 0) return [...problems, required(field, 'must specify a peer')];
  if (count === 1 || !isObject(ipBlock)) return problems;
  return [...problems, forbidden(field, 'may not specify both ipBlock and another peer')];
}

const ports = each(fields({}, policyPort));
const peers = each(fields({}, peer));
const POLICY_TYPES = ['Ingress', 'Egress'];

export function networkPolicy(object: StoredObject): readonly Problem[] {
  return fields({
    podSelector: labelSelector,
    ingress: each(fields({ ports, from: peers })),
    egress: each(fields({ ports, to: peers })),
    policyTypes: (value, field) =>
      Array.isArray(value) && value.length > POLICY_TYPES.length
        ? [invalidValue(field, value, 'may not specify more than two policyTypes')]
        : each((type, at) =>
            POLICY_TYPES.includes(String(type)) ? [] : [notSupported(at, type ?? '', POLICY_TYPES)],
          )(value, field),
  })(specOf(object), 'spec');
}
