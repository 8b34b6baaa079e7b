import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { each, fill } from '../../defaults/fill.ts';
import { forbidden } from '../../failures/object-failures.ts';
import { isObject, type Json, valueAt, withFields, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { amountsOf, containerAmounts, containersOf, podAmounts } from '../quota/usage.ts';
import { type Measured, maximum, maximumRequest, minimum, ratio } from './constraints.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/**
 * Gives the containers of a new Pod the requests and limits that they lack and that a LimitRange of the
 * namespace has a default for (kubernetes/kubernetes, plugin/pkg/admission/limitranger/admission.go,
 * PodMutateLimitFunc). An annotation tells what was added; the last LimitRange that adds something writes it.
 */
export function withDefaultResources({ storage }: Cluster, pod: StoredObject): StoredObject {
  const ranges = storage.list('limitranges', pod.metadata.namespace);
  return ranges.reduce((changed, range) => withDefaultsOf(range, changed), pod);
}

function withDefaultsOf(range: StoredObject, pod: StoredObject): StoredObject {
  const defaults = { requests: {}, limits: {} };
  for (const { type, default: limits, defaultRequest } of itemsOf(range)) {
    if (type !== 'Container') continue;
    Object.assign(defaults.limits, limits);
    Object.assign(defaults.requests, defaultRequest);
  }
  const told: string[] = [];
  const completed = (what: string) => (list: unknown) =>
    each(list, (container) => {
      const given = isObject(container.resources) ? container.resources : {};
      const resources: Record<string, unknown> = { ...given };
      for (const [field, word] of [
        ['requests', 'request'],
        ['limits', 'limit'],
      ] as const) {
        const own = isObject(given[field]) ? given[field] : {};
        const missing = Object.keys(defaults[field]).filter((name) => !Object.hasOwn(own, name));
        if (missing.length === 0) continue;
        resources[field] = { ...defaults[field], ...own };
        told.push(`${missing.sort().join(', ')} ${word} for ${what} ${container.name}`);
      }
      return { ...container, resources };
    });
  const spec = fill(specOf(pod), {
    containers: completed('container'),
    initContainers: completed('init container'),
  });
  if (told.length === 0) return pod;
  const text = `LimitRanger plugin set: ${told.join('; ')}`;
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: text };
  return withFields(withMetadata(pod, { annotations }), { spec });
}

/**
 * Refuses a Pod or a claim that asks for less or more than a LimitRange of the namespace allows (the same
 * file, PodValidateLimitFunc and PersistentVolumeClaimValidateLimitFunc). Pods are asked about when they
 * are created or resized. A real server has no order for the resources of one constraint; here it is by name.
 *
 * @throws ApiError 403 with everything that is wrong by the first LimitRange.
 */
export function enforceLimitRanges({ storage }: Cluster, request: AdmissionRequest): void {
  const { served, namespace, name, object, previous } = request;
  if (namespace === undefined || object === undefined || !isLimited(request)) return;
  if (previous?.metadata.deletionTimestamp !== undefined) return;
  for (const range of storage.list('limitranges', namespace)) {
    const problems = new Set(itemsOf(range).flatMap((item) => problemsOf(item, object)));
    if (problems.size === 0) continue;
    const text = [...problems].join(', ');
    throw forbidden(served, name, problems.size === 1 ? text : `[${text}]`);
  }
}

function isLimited({ served, operation, subresource }: AdmissionRequest): boolean {
  if (served.storedAs === 'persistentvolumeclaims') return subresource === undefined;
  if (served.storedAs !== 'pods') return false;
  return operation === 'CREATE' ? subresource === undefined : subresource === 'resize';
}

function problemsOf(item: Json, object: StoredObject): readonly string[] {
  const { min, max, maxLimitRequestRatio } = item;
  const type = String(item.type);
  if (object.kind === 'PersistentVolumeClaim') {
    if (type !== 'PersistentVolumeClaim') return [];
    // Only requests count: the limits of a claim mean nothing.
    const requests = amountsOf(valueAt(object, ['spec', 'resources', 'requests']));
    const asked: Measured = { request: (name) => requests.get(name), limit: () => undefined };
    return [...minimum(type, min, asked), ...maximumRequest(type, max, asked)];
  }
  return measuredBy(type, specOf(object)).flatMap((measured) => [
    ...minimum(type, min, measured),
    ...maximum(type, max, measured),
    ...ratio(type, maxLimitRequestRatio, measured),
  ]);
}

/** Each container by itself, or the Pod as a whole. */
function measuredBy(type: string, spec: Json): readonly Measured[] {
  const { containers, initContainers } = spec;
  const all = [...containersOf(containers), ...containersOf(initContainers)];
  const ofContainers = type === 'Container' ? all.map(containerAmounts) : [];
  const usages = type === 'Pod' ? [podAmounts(spec)] : ofContainers;
  return usages.map((usage) => ({
    request: (name) => usage.get(name),
    limit: (name) => usage.get(`limits.${name}`),
  }));
}

function itemsOf(range: StoredObject): readonly Json[] {
  const { limits } = specOf(range);
  return Array.isArray(limits) ? limits.filter(isObject) : [];
}

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}
