import { ApiError } from 'chancery';
import { type MissingAccessRule, type PolicyRule, ruleYaml } from 'chancery/internal';

/** A rule that a user must add, and the role to which it belongs. */
type RuleToAdd = Pick<MissingAccessRule, 'kind' | 'namespace' | 'rule'>;

/** Instructions with the rule that a user must add, for messages of conditions and Events. */
export function ruleToAdd({ kind, namespace, rule }: RuleToAdd): string {
  const place = namespace === undefined ? `a ${kind}` : `a ${kind} in namespace ${namespace}`;
  return `add to ${place}: - ${ruleYaml(rule)}`;
}

/**
 * Matches the refusal message of Kubernetes' RBAC, and finds the verb, the resource, its group, and
 * the namespace.
 */
const REFUSED =
  /cannot (?<verb>[a-z]+) resource "(?<resource>[a-z0-9./-]+)" in API group "(?<group>[a-z0-9.-]*)"(?: in the namespace "(?<namespace>[a-z0-9-]+)"| at the cluster scope)/;

/**
 * The rule that was missing when the API server refused a request. Undefined for every other error,
 * and for authorizers whose messages are worded differently.
 */
export function refusedRule(error: unknown): RuleToAdd | undefined {
  if (!(error instanceof ApiError) || error.status !== 403) return undefined;
  const { verb, resource, group, namespace } = REFUSED.exec(error.message)?.groups ?? {};
  if (verb === undefined || resource === undefined || group === undefined) return undefined;
  const rule: PolicyRule = { apiGroups: [group], resources: [resource], verbs: [verb] };
  return { kind: namespace === undefined ? 'ClusterRole' : 'Role', namespace, rule };
}
