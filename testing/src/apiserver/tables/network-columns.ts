import { isObject, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { AGE, itemsAt, joined, NAME, shortened, text, textsAt } from './cell.ts';
import { column, type TableColumn, WIDE } from './column.ts';
import { labels, selector } from './selector-text.ts';

/** How many hosts of an Ingress a cell contains. */
const SHOWN_HOSTS = 3;

/** The addresses of a load balancer: IP addresses or host names. */
function balancers(object: StoredObject): readonly string[] {
  const found = itemsAt(object, 'status.loadBalancer.ingress').map(({ ip, hostname }) =>
    String(ip || hostname || ''),
  );
  return [...new Set(found.filter((address) => address !== ''))].toSorted();
}

function externalIp(service: StoredObject): string {
  const own = textsAt(service, 'spec.externalIPs');
  switch (valueAt(service, ['spec', 'type'])) {
    case 'ClusterIP':
    case 'NodePort':
      return own.join(',') || '<none>';
    case 'LoadBalancer':
      return [...balancers(service), ...own].join(',') || '<pending>';
    case 'ExternalName':
      return String(valueAt(service, ['spec', 'externalName']) ?? '');
    default:
      return '<unknown>';
  }
}

function servicePorts(service: StoredObject): string {
  const ports = itemsAt(service, 'spec.ports').map(({ port, nodePort, protocol }) =>
    [nodePort ? `${port}:${nodePort}` : port, protocol ?? ''].join('/'),
  );
  return ports.join(',') || '<none>';
}

function clusterIp(service: StoredObject): string {
  const [first] = textsAt(service, 'spec.clusterIPs');
  return String(first ?? (valueAt(service, ['spec', 'clusterIP']) || '<none>'));
}

function hosts(ingress: StoredObject): string {
  const rules = itemsAt(ingress, 'spec.rules').map(({ host }) => String(host ?? ''));
  const named = rules.flatMap((host, index) => (host === '' ? [] : [{ host, index }]));
  const shown = named.slice(0, SHOWN_HOSTS);
  if (shown.length === 0) return '*';
  const text = shown.map(({ host }) => host).join(',');
  const lastShown = shown[SHOWN_HOSTS - 1]?.index ?? rules.length;
  const more = rules.length - SHOWN_HOSTS;
  return lastShown < rules.length - 1 ? `${text} + ${more} more...` : text;
}

function parameters(ingressClass: StoredObject): string {
  const reference = valueAt(ingressClass, ['spec', 'parameters']);
  if (!isObject(reference)) return '<none>';
  const group = reference.apiGroup === undefined ? '' : `.${reference.apiGroup}`;
  return `${reference.kind}${group}/${reference.name}`;
}

function endpoints(object: StoredObject): string {
  const subsets = itemsAt(object, 'subsets');
  const addresses = subsets.flatMap((subset) => {
    const ips = itemsAt(subset, 'addresses').map(({ ip }) => String(ip));
    const ports = itemsAt(subset, 'ports');
    if (ports.length === 0) return ips;
    return ports.flatMap(({ port }) => ips.map((ip) => hostPort(ip, port)));
  });
  return subsets.length === 0 ? '<none>' : shortened(addresses, '');
}

function hostPort(ip: string, port: unknown): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function parentReference(address: StoredObject): string {
  const reference = valueAt(address, ['spec', 'parentRef']);
  if (!isObject(reference)) return '<none>';
  const { group, resource, namespace, name } = reference;
  const kind = `${resource}${group ? `.${group}` : ''}`.toLowerCase();
  return [kind, namespace, name].filter(Boolean).join('/');
}

/** The columns of Services and other kinds of networking. */
export const NETWORK_COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  Service: [
    NAME,
    column('Type', text('spec.type')),
    column('Cluster-IP', clusterIp),
    column('External-IP', externalIp),
    column('Port(s)', servicePorts),
    AGE,
    column('Selector', labels('spec.selector'), WIDE),
  ],
  Endpoints: [NAME, column('Endpoints', endpoints), AGE],
  EndpointSlice: [
    NAME,
    column('AddressType', text('addressType')),
    column('Ports', (slice) =>
      shortened(
        itemsAt(slice, 'ports').map(({ port, name }) => String(port ?? name ?? '*')),
        '<unset>',
      ),
    ),
    column('Endpoints', (slice) =>
      shortened(
        itemsAt(slice, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses')),
        '<unset>',
      ),
    ),
    AGE,
  ],
  Ingress: [
    NAME,
    column('Class', text('spec.ingressClassName', '<none>')),
    column('Hosts', hosts),
    column('Address', (ingress) => balancers(ingress).join(',')),
    column('Ports', (ingress) => (itemsAt(ingress, 'spec.tls').length > 0 ? '80, 443' : '80')),
    AGE,
  ],
  IngressClass: [
    NAME,
    column('Controller', text('spec.controller')),
    column('Parameters', parameters),
    AGE,
  ],
  NetworkPolicy: [NAME, column('Pod-Selector', selector('spec.podSelector')), AGE],
  ServiceCIDR: [NAME, column('CIDRs', joined('spec.cidrs')), AGE],
  IPAddress: [NAME, column('ParentRef', parentReference)],
};
