import { isDeepStrictEqual } from 'node:util';
import { matchesSelector } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import { isObject, valueAt, withFields } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { storedSelector } from '../../objects/stored-selector.ts';

const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io';

/**
 * Sets the rules of each ClusterRole that has an `aggregationRule` to the rules of all ClusterRoles that its
 * selectors match, without duplicates.
 *
 * @returns a function that stops the aggregation.
 */
export function aggregateRoles(access: ClusterAccess): () => void {
  const aggregateAll = (): void => {
    for (const { metadata } of access.list(CLUSTER_ROLES)) {
      // Reads the role again, because an update of another role in this loop may have changed it.
      const role = access.get(CLUSTER_ROLES, undefined, metadata.name);
      if (role !== undefined) aggregate(access, role);
    }
  };
  const end = access.subscribe(CLUSTER_ROLES, aggregateAll);
  aggregateAll();
  return end;
}

function aggregate(access: ClusterAccess, role: StoredObject): void {
  const selectors = valueAt(role, ['aggregationRule', 'clusterRoleSelectors']);
  if (!Array.isArray(selectors)) return;
  const parsed = selectors.filter(isObject).map(storedSelector);
  const parts = access
    .list(CLUSTER_ROLES)
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .filter(({ metadata }) =>
      parsed.some((selector) => selector && matchesSelector(selector, metadata.labels)),
    );
  const rules: unknown[] = [];
  for (const rule of parts.flatMap(rulesOf)) {
    if (!rules.some((known) => isDeepStrictEqual(known, rule))) rules.push(rule);
  }
  if (isDeepStrictEqual(rules, rulesOf(role))) return;
  access.update(CLUSTER_ROLES, withFields(role, { rules }));
}

function rulesOf({ rules }: StoredObject): readonly unknown[] {
  return Array.isArray(rules) ? rules : [];
}
