import { isObject, type Json } from '../../objects/metadata.ts';
import { compareQuantities, quantityNanos } from '../../objects/quantity.ts';
import { labelKey } from './formats.ts';
import { invalidValue, type Problem, required } from './problem.ts';

const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Checks the requests and limits of a container. */
export function resourceRequirements(value: unknown, field: string): readonly Problem[] {
  if (!isObject(value)) return [];
  const limits = isObject(value.limits) ? value.limits : {};
  const requests = isObject(value.requests) ? value.requests : {};
  return [
    ...amounts(limits, `${field}.limits`),
    ...Object.keys(requests).flatMap((name) => [
      ...amounts({ [name]: requests[name] }, `${field}.requests`),
      ...withinLimit(name, requests[name], limits, field),
    ]),
  ];
}

function amounts(map: Json, field: string): readonly Problem[] {
  return Object.entries(map).flatMap(([name, amount]) => [
    ...containerResource(name, `${field}[${name}]`),
    ...notNegativeQuantity(amount, `${field}[${name}]`),
  ]);
}

/** Resource names without a prefix, as quotas and limit ranges use them. */
const STANDARD_TYPES: ReadonlySet<string> = new Set([
  ...STANDARD,
  ...[...STANDARD, 'storage'].map((name) => `requests.${name}`),
  ...[...STANDARD].map((name) => `limits.${name}`),
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'services.nodeports',
  'services.loadbalancers',
]);

/** Checks the name of a resource of any kind, such as `cpu` or `example.com/gpu`. */
export function resourceName(name: string, field: string): readonly Problem[] {
  const unqualified = labelKey(name);
  if (unqualified.length > 0) return unqualified.map((why) => invalidValue(field, name, why));
  const isKnown = STANDARD_TYPES.has(name) || /^(?:requests\.)?hugepages-/.test(name);
  if (name.includes('/') || isKnown) return [];
  return [invalidValue(field, name, 'must be a standard resource type or fully qualified')];
}

/** Checks the name of a resource that a container requests. */
export function containerResource(name: string, field: string): readonly Problem[] {
  const problems = resourceName(name, field);
  if (name.includes('/') || STANDARD.has(name) || name.startsWith('hugepages-')) return problems;
  return [...problems, invalidValue(field, name, 'must be a standard resource for containers')];
}

/**
 * Requires that a request does not exceed its limit. For resources that cannot be overcommitted, such as
 * GPUs, the request must equal the limit.
 */
function withinLimit(
  name: string,
  request: unknown,
  limits: Json,
  field: string,
): readonly Problem[] {
  const limit = limits[name];
  const overcommits = !name.startsWith('hugepages-') && !isExtended(name);
  if (limit === undefined) {
    const why = 'Limit must be set for non overcommitable resources';
    return overcommits ? [] : [required(`${field}.limits`, why)];
  }
  const order = compareQuantities(request, limit);
  const what = `${name} limit of ${limit}`;
  if (!overcommits && order !== 0) {
    return [invalidValue(`${field}.requests`, request, `must be equal to ${what}`)];
  }
  if (order !== 1) return [];
  return [invalidValue(`${field}.requests`, request, `must be less than or equal to ${what}`)];
}

/** True for a resource of another vendor, such as `example.com/gpu`. False for resources of Kubernetes. */
export function isExtended(name: string): boolean {
  return name.includes('/') && !/(^|\.)kubernetes\.io\//.test(name);
}

export function notNegativeQuantity(value: unknown, field: string): readonly Problem[] {
  const nanos = quantityNanos(value);
  if (nanos === undefined || nanos >= 0n) return [];
  const why = 'must be greater than or equal to 0';
  return [invalidValue(field, value, why)];
}

export function positiveQuantity(value: unknown, field: string): readonly Problem[] {
  const nanos = quantityNanos(value);
  if (nanos === undefined || nanos > 0n) return [];
  return [invalidValue(field, value, 'must be greater than zero')];
}
