import { isObject, type Json } from '../objects/metadata.ts';
import { compareQuantities } from '../objects/quantity.ts';
import { asObject } from './fill.ts';

/** The resources that decide who is evicted first. */
const COUNTED = ['cpu', 'memory'];

/**
 * How safe a Pod is on a node that runs short: `Guaranteed` where every container has limits and
 * asks for no less, `BestEffort` where none asks for anything.
 */
export function qualityOfService(spec: Json): string {
  const lists = [spec.containers, spec.initContainers];
  const resources = lists
    .flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []))
    .map((container) => asObject(container.resources) ?? {});
  const pod = asObject(spec.resources);
  const counted = pod === undefined ? resources : [pod];
  if (!counted.some((one) => asksForAnything(one))) return 'BestEffort';
  return counted.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

function amount(map: unknown, name: string): unknown {
  const value = asObject(map)?.[name];
  return value !== undefined && compareQuantities(value, '0') === 1 ? value : undefined;
}

function asksForAnything({ requests, limits }: Json): boolean {
  return COUNTED.some(
    (name) => amount(requests, name) !== undefined || amount(limits, name) !== undefined,
  );
}

function isGuaranteed({ requests, limits }: Json): boolean {
  return COUNTED.every((name) => {
    const limit = amount(limits, name);
    if (limit === undefined) return false;
    return compareQuantities(amount(requests, name) ?? limit, limit) === 0;
  });
}
