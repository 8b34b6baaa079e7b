import { isObject, type Json } from '../../objects/metadata.ts';
import { quantityNanos, quantityText } from '../../objects/quantity.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';

/** An amount in billionths, and whether it is written with a binary suffix (powers of 1024). */
export interface Amount {
  readonly nanos: bigint;
  readonly binary: boolean;
}

/** Amounts, keyed by the names that a ResourceQuota uses. */
export type Usage = ReadonlyMap<string, Amount>;

export const NOTHING: Amount = { nanos: 0n, binary: false };
const ONE: Amount = { nanos: 1_000_000_000n, binary: false };

/** Core resources that a quota can count without the prefix `count/`. */
const COUNTED_BY_NAME: ReadonlySet<ResourceName> = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
]);

/** The amounts of a quota that an object uses up (k8s.io/kubernetes, pkg/quota/v1/evaluator/core). */
export function usageOf(resource: ResourceName, object: StoredObject): Usage {
  const usage = new Map<string, Amount>([[`count/${resource}`, ONE]]);
  if (COUNTED_BY_NAME.has(resource)) usage.set(resource, ONE);
  const spec = isObject(object.spec) ? object.spec : {};
  if (resource === 'services') addService(usage, spec);
  if (resource === 'persistentvolumeclaims') {
    const { resources } = spec;
    const requests = isObject(resources) ? resources.requests : undefined;
    const storage = amountsOf(requests).get('storage');
    if (storage !== undefined) usage.set('requests.storage', storage);
  }
  if (resource === 'pods' && !isFinished(object)) {
    usage.set('pods', ONE);
    for (const [name, amount] of podAmounts(spec)) usage.set(name, amount);
  }
  return usage;
}

export function amountText({ nanos, binary }: Amount): string {
  return quantityText(nanos, binary);
}

export function plus(left: Amount, right: Amount): Amount {
  return { nanos: left.nanos + right.nanos, binary: left.binary || right.binary };
}

/** True for a finished Pod. Such a Pod counts as an object, but its requests and limits do not count. */
function isFinished({ status }: StoredObject): boolean {
  const phase = isObject(status) ? status.phase : undefined;
  return phase === 'Succeeded' || phase === 'Failed';
}

function addService(usage: Map<string, Amount>, { type, ports }: Json): void {
  const count = Array.isArray(ports) ? ports.length : 0;
  const nodePorts = { nanos: BigInt(count) * ONE.nanos, binary: false };
  if (type === 'NodePort' || type === 'LoadBalancer') usage.set('services.nodeports', nodePorts);
  if (type === 'LoadBalancer') usage.set('services.loadbalancers', ONE);
}

/**
 * For each resource, the sum of the Pod's containers, or the amount of its largest init container if that is
 * more. An init container with `restartPolicy: Always` counts like a regular container. It keeps running
 * while the init containers after it run, so its amounts are added to theirs.
 */
export function podAmounts({ containers, initContainers }: Json): Usage {
  const total = new Map<string, Amount>();
  const staying = new Map<string, Amount>();
  const starting = new Map<string, Amount>();
  for (const container of containersOf(containers)) add(total, containerAmounts(container));
  for (const container of containersOf(initContainers)) {
    const amounts = containerAmounts(container);
    const stays = container.restartPolicy === 'Always';
    if (stays) add(total, amounts);
    if (stays) add(staying, amounts);
    raise(starting, stays ? staying : add(new Map(amounts), staying));
  }
  return raise(total, starting);
}

function add(sum: Map<string, Amount>, amounts: Usage): Usage {
  for (const [name, amount] of amounts) sum.set(name, plus(sum.get(name) ?? NOTHING, amount));
  return sum;
}

function raise(most: Map<string, Amount>, amounts: Usage): Usage {
  for (const [name, amount] of amounts) {
    if (amount.nanos > (most.get(name)?.nanos ?? -1n)) most.set(name, amount);
  }
  return most;
}

export function containersOf(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/**
 * The amounts of a container. For CPU these are `limits.cpu`, `requests.cpu`, and `cpu` (equal to the
 * request). Other resources have the same three amounts.
 */
export function containerAmounts({ resources }: Json): Usage {
  const { requests, limits } = isObject(resources) ? resources : {};
  const amounts = new Map<string, Amount>();
  for (const [name, amount] of amountsOf(requests)) {
    amounts.set(name, amount);
    amounts.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of amountsOf(limits)) amounts.set(`limits.${name}`, amount);
  return amounts;
}

export function amountsOf(list: unknown): Usage {
  const entries = Object.entries(isObject(list) ? list : {});
  return new Map(entries.map(([name, text]) => [name, amountOf(text)]));
}

function amountOf(text: unknown): Amount {
  const nanos = quantityNanos(text) ?? 0n;
  return { nanos, binary: /[KMGTPE]i$/.test(String(text)) };
}
