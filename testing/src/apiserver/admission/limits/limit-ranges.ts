import { type AdmissionRequest, nameInRefusals } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { each, fill } from '../../defaults/fill.ts';
import { forbidden } from '../../failures/object-failures.ts';
import { isObject, type Json, valueAt, withFields, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import {
  type Amount,
  amountsOf,
  amountText,
  containerAmounts,
  containersOf,
  podAmounts,
} from '../quota/usage.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/**
 * Adds missing requests and limits to the containers of a new Pod, using the defaults of the namespace's
 * LimitRanges (kubernetes/kubernetes, plugin/pkg/admission/limitranger/admission.go, PodMutateLimitFunc). An
 * annotation of the Pod describes the additions, but only those of the last LimitRange that added any.
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
  const additions: string[] = [];
  const completed = (what: string) => (list: unknown) =>
    each(list, (container) => {
      const before = isObject(container.resources) ? container.resources : {};
      const resources: Record<string, unknown> = { ...before };
      for (const [field, word] of [
        ['requests', 'request'],
        ['limits', 'limit'],
      ] as const) {
        const own = isObject(before[field]) ? before[field] : {};
        const missing = Object.keys(defaults[field]).filter((name) => !Object.hasOwn(own, name));
        if (missing.length === 0) continue;
        resources[field] = { ...defaults[field], ...own };
        additions.push(`${missing.sort().join(', ')} ${word} for ${what} ${container.name}`);
      }
      return { ...container, resources };
    });
  const spec = fill(specOf(pod), {
    containers: completed('container'),
    initContainers: completed('init container'),
  });
  if (additions.length === 0) return pod;
  const text = `LimitRanger plugin set: ${additions.join('; ')}`;
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: text };
  return withFields(withMetadata(pod, { annotations }), { spec });
}

/**
 * Refuses a Pod or a claim whose requests or limits are below the minimum or above the maximum of a
 * LimitRange of the namespace (PodValidateLimitFunc and PersistentVolumeClaimValidateLimitFunc in the same
 * file). Pods are checked when they are created or resized. A real server lists the resources that violate
 * one constraint in no fixed order. Here they are sorted by name.
 *
 * @throws ApiError 403 with all violations of the first violated LimitRange.
 */
export function enforceLimitRanges({ storage }: Cluster, request: AdmissionRequest): void {
  const { served, namespace, object, previous } = request;
  if (namespace === undefined || object === undefined || !isLimited(request)) return;
  if (previous?.metadata.deletionTimestamp !== undefined) return;
  for (const range of storage.list('limitranges', namespace)) {
    const problems = new Set(itemsOf(range).flatMap((item) => problemsOf(item, object)));
    if (problems.size === 0) continue;
    const text = [...problems].join(', ');
    throw forbidden(served, nameInRefusals(request), problems.size === 1 ? text : `[${text}]`);
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
    // The limits of a claim are ignored, because they have no meaning.
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

/**
 * The amounts to which limits of this type apply: those of each container for `Container`, or of the whole
 * Pod for `Pod`.
 */
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

/**
 * The request and the limit for each resource of a container, a Pod or a claim; undefined if none is set.
 */
interface Measured {
  readonly request: (resource: string) => Amount | undefined;
  readonly limit: (resource: string) => Amount | undefined;
}

/**
 * Returns the violations of one constraint of a LimitRange: one string per resource, with the messages of
 * kubernetes/kubernetes, plugin/pkg/admission/limitranger/admission.go.
 *
 * @param type - the type of the LimitRange's item.
 * @param enforced - the amounts that the constraint sets, keyed by resource.
 */
type Constraint = (type: string, enforced: unknown, measured: Measured) => readonly string[];

type Check = (
  what: { readonly type: string; readonly name: string; readonly enforced: Amount },
  request: Amount | undefined,
  limit: Amount | undefined,
) => string | undefined;

function constraint(check: Check): Constraint {
  return (type, amounts, { request, limit }) =>
    [...amountsOf(amounts)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, enforced]) => check({ type, name, enforced }, request(name), limit(name)))
      .filter((text) => text !== undefined);
}

const minimum: Constraint = constraint(({ type, name, enforced }, request, limit) => {
  const least = `minimum ${name} usage per ${type} is ${amountText(enforced)}`;
  if (request === undefined) return `${least}.  No request is specified`;
  if (thousandths(request) < thousandths(enforced)) return but(least, 'request', request);
  const low = limit !== undefined && thousandths(limit) < thousandths(enforced);
  return low ? but(least, 'limit', limit) : undefined;
});

const maximum: Constraint = constraint(({ type, name, enforced }, request, limit) => {
  const most = `maximum ${name} usage per ${type} is ${amountText(enforced)}`;
  if (limit === undefined) return `${most}.  No limit is specified`;
  if (thousandths(limit) > thousandths(enforced)) return but(most, 'limit', limit);
  const high = request !== undefined && thousandths(request) > thousandths(enforced);
  return high ? but(most, 'request', request) : undefined;
});

/** The maximum for a claim. It is compared with the requests of the claim, because a claim has no limits. */
const maximumRequest: Constraint = constraint(({ type, name, enforced }, request) => {
  const most = `maximum ${name} usage per ${type} is ${amountText(enforced)}`;
  if (request === undefined) return `${most}.  No request is specified`;
  const high = thousandths(request) > thousandths(enforced);
  return high ? but(most, 'request', request) : undefined;
});

const ratio: Constraint = constraint(({ type, name, enforced }, request, limit) => {
  const most = `${name} max limit to request ratio per ${type} is ${amountText(enforced)}`;
  const [asked, allowed] = [request, limit].map((amount) => Number(thousandths(amount)));
  if (!asked) return `${most}, but no request is specified or request is 0`;
  if (!allowed) return `${most}, but no limit is specified or limit is 0`;
  const found = allowed / asked;
  if (found * 1000 <= Number(thousandths(enforced))) return undefined;
  return `${most}, but provided ratio is ${found.toFixed(6)}`;
});

function but(text: string, what: string, amount: Amount): string {
  return `${text}, but ${what} is ${amountText(amount)}`;
}

/** The amount in thousandths of its unit, rounded up. Limits are compared with this accuracy. */
function thousandths(amount: Amount | undefined): bigint {
  return ((amount?.nanos ?? 0n) + 999_999n) / 1_000_000n;
}
