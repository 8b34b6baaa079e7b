import type { Cluster } from '../cluster/cluster.ts';
import { invalid } from '../failures/invalid.ts';
import { isObject, type Json, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { invalidValue } from '../validation/fields/problem.ts';

const SERVICE = { group: '', kind: 'Service' };

/** 10.96.0.0/12, the default Service addresses of kubeadm. */
const FIRST_ADDRESS = 0x0a_60_00_00;
const ADDRESS_COUNT = 1 << 20;
const ADDRESS_RANGE = '10.96.0.0/12';

/** The address of the Service `kubernetes`: the first usable address of the range. */
export const OWN_ADDRESS = '10.96.0.1';

const FIRST_NODE_PORT = 30_000;
const NODE_PORT_COUNT = 2_768;

/**
 * Assigns the address and node ports that a Service needs because of its type and does not have yet. No
 * address or port is assigned twice.
 *
 * @param random - returns a number in [0, 1) that decides where the search for a free address or
 * port begins.
 * @throws ApiError 422 for an address or port that is unavailable.
 */
export function allocate(
  { storage }: Cluster,
  service: StoredObject,
  random: () => number = Math.random,
): StoredObject {
  const spec = isObject(service.spec) ? service.spec : {};
  const { namespace, name } = service.metadata;
  const isOwn = namespace === 'default' && name === 'kubernetes';
  const others = storage
    .list('services')
    .filter(({ metadata }) => metadata.uid !== service.metadata.uid)
    .map((other) => (isObject(other.spec) ? other.spec : {}));
  // Reserves the address of the API server. Only the Service `kubernetes` may have it.
  if (!isOwn) others.push({ clusterIP: OWN_ADDRESS });
  const scene: Scene = { name: name ?? '', others, random };
  return withFields(service, { spec: withPorts(withAddress(spec, scene), scene) });
}

interface Scene {
  readonly name: string;
  /** The specs of all other Services. */
  readonly others: readonly Json[];
  readonly random: () => number;
}

function withAddress(spec: Json, scene: Scene): Json {
  if (spec.type === 'ExternalName') return spec;
  const [first] = Array.isArray(spec.clusterIPs) ? spec.clusterIPs : [];
  const wanted = String(spec.clusterIP || first || '');
  if (wanted === 'None') return headless(spec);
  const taken = new Set(scene.others.map(({ clusterIP }) => String(clusterIP ?? '')));
  const clusterIP = wanted === '' ? freeAddress(taken, scene.random) : wanted;
  const problem = wanted === '' ? undefined : addressProblem(wanted, taken);
  if (problem !== undefined) {
    const why = `failed to allocate IP ${wanted}: ${problem}`;
    throw invalid(SERVICE, scene.name, [invalidValue('spec.clusterIPs', [wanted], why)]);
  }
  return {
    ...spec,
    clusterIP,
    clusterIPs: [clusterIP],
    ipFamilies: spec.ipFamilies ?? ['IPv4'],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
  };
}

/** The spec of a headless Service. Without a selector, such a Service may have addresses of any family. */
function headless(spec: Json): Json {
  const selects = isObject(spec.selector) && Object.keys(spec.selector).length > 0;
  return {
    ...spec,
    clusterIP: 'None',
    clusterIPs: ['None'],
    ipFamilies: spec.ipFamilies ?? (selects ? ['IPv4'] : ['IPv4', 'IPv6']),
    ipFamilyPolicy: spec.ipFamilyPolicy ?? (selects ? 'SingleStack' : 'RequireDualStack'),
  };
}

function addressOf(offset: number): string {
  const value = FIRST_ADDRESS + offset;
  return [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join('.');
}

function offsetOf(address: string): number | undefined {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) return undefined;
  const offset = parts.reduce((value, part) => value * 256 + part, 0) - FIRST_ADDRESS;
  return offset > 0 && offset < ADDRESS_COUNT - 1 ? offset : undefined;
}

function addressProblem(address: string, taken: ReadonlySet<string>): string | undefined {
  if (!/^[\d.]+$/.test(address)) return undefined; // not an address: validation reports that
  if (offsetOf(address) === undefined) {
    return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${ADDRESS_RANGE}`;
  }
  return taken.has(address) ? 'provided IP is already allocated' : undefined;
}

/**
 * The first free address, searched from a random address on. The search is short, because there are a million
 * addresses and few Services.
 */
function freeAddress(taken: ReadonlySet<string>, random: () => number): string {
  const usable = ADDRESS_COUNT - 2;
  const start = Math.floor(random() * usable);
  for (let step = 0; step < usable; step++) {
    const address = addressOf(1 + ((start + step) % usable));
    if (!taken.has(address)) return address;
  }
  return addressOf(1 + start);
}

function needsPorts(spec: Json): boolean {
  if (spec.type === 'NodePort') return true;
  return spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
}

function withPorts(spec: Json, scene: Scene): Json {
  if (!needsPorts(spec) || !Array.isArray(spec.ports)) return spec;
  const taken = new Set(scene.others.flatMap(nodePortsOf));
  const ports = spec.ports.map((port: unknown, at: number) => {
    if (!isObject(port)) return port;
    const wanted = Number(port.nodePort ?? 0);
    const problem = wanted === 0 ? undefined : portProblem(wanted, taken);
    if (problem !== undefined) {
      const field = `spec.ports[${at}].nodePort`;
      throw invalid(SERVICE, scene.name, [invalidValue(field, wanted, problem)]);
    }
    const nodePort = wanted === 0 ? freePort(taken, scene.random) : wanted;
    // TCP and UDP may use the same port number.
    if (wanted === 0) taken.add(nodePort);
    return { ...port, nodePort };
  });
  return { ...spec, ports };
}

function nodePortsOf({ ports }: Json): readonly number[] {
  const list = Array.isArray(ports) ? ports.filter(isObject) : [];
  return list.map(({ nodePort }) => Number(nodePort ?? 0)).filter((port) => port > 0);
}

function portProblem(port: number, taken: ReadonlySet<number>): string | undefined {
  if (port < FIRST_NODE_PORT || port >= FIRST_NODE_PORT + NODE_PORT_COUNT) {
    return 'provided port is not in the valid range. The range of valid ports is 30000-32767';
  }
  return taken.has(port) ? 'provided port is already allocated' : undefined;
}

function freePort(taken: ReadonlySet<number>, random: () => number): number {
  const start = Math.floor(random() * NODE_PORT_COUNT);
  for (let step = 0; step < NODE_PORT_COUNT; step++) {
    const port = FIRST_NODE_PORT + ((start + step) % NODE_PORT_COUNT);
    if (!taken.has(port)) return port;
  }
  return FIRST_NODE_PORT + start;
}
