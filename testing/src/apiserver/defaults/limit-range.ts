import type { Json } from '../objects/metadata.ts';
import { asObject, each, fill } from './fill.ts';

/**
 * What one limit of a container says of the others: the most that it may have is its limit, its limit is
 * its request, and so is the least that it may have (kubernetes/kubernetes, pkg/apis/core/v1/defaults.go,
 * SetDefaults_LimitRangeItem).
 */
export function defaultLimitRangeSpec(spec: Json): Json {
  return fill(spec, { limits: (limits: unknown) => each(limits, defaultItem) });
}

function defaultItem(item: Json): Json {
  if (item.type !== 'Container') return item;
  const limits = { ...asObject(item.max), ...asObject(item.default) };
  const requests = { ...asObject(item.min), ...limits, ...asObject(item.defaultRequest) };
  return {
    ...item,
    ...(Object.keys(limits).length > 0 ? { default: limits } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: requests } : {}),
  };
}
