import type { PolicyRule } from '../model/kubernetes/rbac-v1.ts';
import type { GrantedRules } from './missing-access.ts';
import type { RequiredRight } from './required-rights.ts';

/** A granted right that no controller declares. */
export interface ExcessAccessRule {
  /** Undefined if the right is granted in every namespace. */
  readonly namespace: string | undefined;
  readonly rule: PolicyRule;
  /**
   * - `wildcard`: the rule has `*` as a verb, a group or a resource, which also grants rights on future
   *   resources.
   * - `escalation`: the verb is `escalate`, `bind` or `impersonate`, which can lead to more rights.
   * - `secrets`: the rule allows access to Secrets, which contain credentials of other programs.
   * - `undeclared`: any other right.
   */
  readonly kind: 'wildcard' | 'escalation' | 'secrets' | 'undeclared';
}

/**
 * The granted rights that no declaration requires, as rules with one verb and one resource each. A rule with
 * a wildcard is not split. Two kinds of rights are omitted: reviews that Kubernetes allows to every user, and
 * rights on paths that are not paths of objects.
 *
 * @param granted - the rules, keyed by namespace. The key `undefined` stands for rights that are granted in
 *   every namespace. These rights are returned only once.
 */
export function excessRules(
  needed: readonly RequiredRight[],
  granted: ReadonlyMap<string | undefined, GrantedRules>,
): readonly ExcessAccessRule[] {
  const everywhere = new Set(granted.get(undefined)?.resourceRules.map(identityOf));
  return [...granted].flatMap(([namespace, { resourceRules }]) => {
    const own = resourceRules.filter(
      (rule) => namespace === undefined || !everywhere.has(identityOf(rule)),
    );
    const isNeeded = (rule: PolicyRule): boolean =>
      needed.some(
        (right) =>
          // A right that is granted in all namespaces is returned unless it is also needed in all namespaces.
          (namespace === undefined ? right.namespace === undefined : isIn(right, namespace)) &&
          isPartOf(rule, right),
      );
    const excess = own
      .flatMap(taken)
      .filter((rule) => isWildcard(rule) || !(isOfEverybody(rule) || isNeeded(rule)));
    const distinct = new Map(excess.map((rule) => [identityOf(rule), rule]));
    return [...distinct.values()].map((rule) => ({ namespace, rule, kind: kindOf(rule) }));
  });
}

function isIn({ namespace }: { readonly namespace: string | undefined }, place: string): boolean {
  return namespace === undefined || namespace === place;
}

/** @param rule - a rule with one entry in each list, and no wildcard. */
function isPartOf(
  { verbs, apiGroups, resources, resourceNames }: PolicyRule,
  { verb, resource, subresource, name }: RequiredRight,
): boolean {
  const { group, plural } = resource;
  const path = subresource === undefined ? plural : `${plural}/${subresource}`;
  return (
    verbs[0] === verb &&
    apiGroups?.[0] === group &&
    resources?.[0] === path &&
    (name === undefined || resourceNames?.[0] === name)
  );
}

/** Splits a rule into rules that each have one verb, one group, one resource and at most one name. */
function taken(rule: PolicyRule): readonly PolicyRule[] {
  if (isWildcard(rule)) return [rule];
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => [name]);
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      names.flatMap((name) =>
        verbs.map((verb) => ({
          apiGroups: [group],
          resources: [resource],
          ...(Array.isArray(name) && { resourceNames: name }),
          verbs: [verb],
        })),
      ),
    ),
  );
}

function isWildcard({ verbs, apiGroups = [], resources = [] }: PolicyRule): boolean {
  return [...verbs, ...apiGroups, ...resources].some((text) => text.includes('*'));
}

const SELF = /^(?:selfsubjectaccessreviews|selfsubjectrulesreviews|selfsubjectreviews)$/;

/** True for the rules of `system:basic-user`. */
function isOfEverybody({ resources = [] }: PolicyRule): boolean {
  return resources.every((resource) => SELF.test(resource));
}

function kindOf(rule: PolicyRule): ExcessAccessRule['kind'] {
  const { verbs, apiGroups = [], resources = [] } = rule;
  if (isWildcard(rule)) return 'wildcard';
  if (verbs.some((verb) => ['escalate', 'bind', 'impersonate'].includes(verb))) return 'escalation';
  return apiGroups.includes('') && resources.includes('secrets') ? 'secrets' : 'undeclared';
}

function identityOf({ verbs, apiGroups, resources, resourceNames }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames]);
}
