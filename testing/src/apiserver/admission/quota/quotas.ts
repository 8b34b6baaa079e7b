import { type AdmissionRequest, nameInRefusals } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { forbidden } from '../../failures/object-failures.ts';
import { isObject } from '../../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import type { Storage } from '../../storage/storage.ts';
import {
  type Amount,
  amountsOf,
  amountText,
  containerAmounts,
  containersOf,
  NOTHING,
  plus,
  type Usage,
  usageOf,
} from './usage.ts';

export const QUOTAS: ResourceName = 'resourcequotas';

/**
 * Refuses a write that exceeds a ResourceQuota of the namespace
 * (k8s.io/apiserver, pkg/admission/plugin/resourcequota/controller.go, CheckRequest).
 *
 * @throws ApiError 403 with the requested, the used and the allowed amounts.
 */
export function enforceQuotas({ storage }: Cluster, request: AdmissionRequest): void {
  const { served, namespace, subresource, object, previous } = request;
  if (namespace === undefined || object === undefined || subresource !== undefined) return;
  const quotas = quotasOf(storage, namespace);
  if (quotas.length === 0) return;
  const resource = served.storedAs;
  const name = nameInRefusals(request);
  const asked = moreThan(usageOf(resource, object), previous && usageOf(resource, previous));
  for (const quota of quotas) {
    const hard = hardOf(quota);
    const quotaName = quota.metadata.name ?? '';
    if (resource === 'pods' && previous === undefined) {
      const missing = unspecified(object, hard);
      if (missing !== '') {
        throw forbidden(served, name, `failed quota: ${quotaName}: must specify ${missing}`);
      }
    }
    const used = usedOf(storage, namespace, hard);
    const exceeded = [...asked].filter(([what, amount]) => {
      const limit = hard.get(what);
      const total = plus(used.get(what) ?? NOTHING, amount);
      return limit !== undefined && amount.nanos > 0n && total.nanos > limit.nanos;
    });
    if (exceeded.length === 0) continue;
    const names = exceeded.map(([what]) => what).sort();
    const listed = (usage: Usage): string =>
      names.map((what) => `${what}=${amountText(usage.get(what) ?? NOTHING)}`).join(',');
    const why = `exceeded quota: ${quotaName}, requested: ${listed(asked)}, used: ${listed(used)}, limited: ${listed(hard)}`;
    throw forbidden(served, name, why);
  }
}

/**
 * The quotas of a namespace that have no scopes. A quota with scopes covers only some Pods. It is ignored.
 */
export function quotasOf(storage: Storage, namespace: string): readonly StoredObject[] {
  return storage.list(QUOTAS, namespace).filter(({ spec }) => {
    const { scopes, scopeSelector } = isObject(spec) ? spec : {};
    return scopeSelector === undefined && !(Array.isArray(scopes) && scopes.length > 0);
  });
}

export function hardOf({ spec }: StoredObject): Usage {
  return amountsOf(isObject(spec) ? spec.hard : undefined);
}

/** How much of each resource in `hard` is used. */
export function usedOf(storage: Storage, namespace: string, hard: Usage): Usage {
  const used = new Map<string, Amount>([...hard.keys()].map((what) => [what, NOTHING]));
  for (const resource of new Set([...hard.keys()].flatMap(countedFor))) {
    for (const object of storage.list(resource, namespace)) {
      for (const [what, amount] of usageOf(resource, object)) {
        const before = used.get(what);
        if (before !== undefined) used.set(what, plus(before, amount));
      }
    }
  }
  return used;
}

/**
 * The resources whose objects count towards an entry of a quota. For example, Pods count towards
 * `requests.cpu`.
 */
function countedFor(what: string): readonly ResourceName[] {
  if (what.startsWith('count/')) return [what.slice('count/'.length)];
  if (what.startsWith('services.')) return ['services'];
  if (what === 'requests.storage') return ['persistentvolumeclaims'];
  if (/^(requests|limits)\.|^(cpu|memory|ephemeral-storage)$/.test(what)) return ['pods'];
  return [what];
}

function moreThan(now: Usage, before: Usage | undefined): Usage {
  if (before === undefined) return now;
  return new Map(
    [...now].map(([what, { nanos, binary }]) => {
      const then = before.get(what)?.nanos ?? 0n;
      return [what, { nanos: nanos > then ? nanos - then : 0n, binary }];
    }),
  );
}

/** The amounts that every container of a Pod must set if a quota limits them. */
const SPECIFIED = [
  'cpu',
  'limits.cpu',
  'limits.memory',
  'memory',
  'requests.cpu',
  'requests.memory',
];

/**
 * The message about missing amounts, such as `requests.cpu for: a,b; limits.memory for: a`. Empty if no
 * amount is missing.
 */
function unspecified({ spec }: StoredObject, hard: Usage): string {
  const { containers, initContainers } = isObject(spec) ? spec : {};
  const all = [...containersOf(containers), ...containersOf(initContainers)];
  return SPECIFIED.filter((what) => hard.has(what))
    .map((what) => {
      const without = all.filter((container) => !containerAmounts(container).has(what));
      return { what, names: without.map(({ name }) => String(name)).sort() };
    })
    .filter(({ names }) => names.length > 0)
    .map(({ what, names }) => `${what} for: ${names.join(',')}`)
    .join('; ');
}
