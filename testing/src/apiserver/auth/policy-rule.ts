import { isObject } from '../objects/metadata.ts';
import { type Access, type ResourceAccess, resourcePath } from './access.ts';

/** One rule of a Role, with the fields of `rbac.authorization.k8s.io/v1`. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** True when this one rule grants the access. */
export function ruleAllows(rule: PolicyRule, access: Access): boolean {
  if (!grants(rule.verbs, access.verb)) return false;
  if (!('resource' in access)) return coversPath(rule, access.path);
  return (
    grants(rule.apiGroups, access.group) && coversResource(rule, access) && coversName(rule, access)
  );
}

/** True when the list contains the value or `*`. */
export function grants(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

function coversResource({ resources }: PolicyRule, access: ResourceAccess): boolean {
  const { subresource } = access;
  return (
    grants(resources, resourcePath(access)) ||
    (subresource !== '' && resources?.includes(`*/${subresource}`) === true)
  );
}

/**
 * Whether a rule covers a name. A rule for certain names does not cover requests without a name, such as
 * those with the verbs `create` and `deletecollection`.
 */
function coversName({ resourceNames = [] }: PolicyRule, { name }: ResourceAccess): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

function coversPath({ nonResourceURLs = [] }: PolicyRule, path: string): boolean {
  return nonResourceURLs.some((pattern) => pathMatches(pattern, path));
}

/**
 * True if the path equals the pattern, or if the pattern ends in `*` and the path begins with the rest of the
 * pattern.
 */
export function pathMatches(pattern: string, path: string): boolean {
  return (
    pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')))
  );
}

/** The rules of a Role or ClusterRole. Malformed rules are ignored. */
export function rulesIn(role: object): readonly PolicyRule[] {
  const { rules } = role as { readonly rules?: unknown };
  return Array.isArray(rules) ? rules.filter(isObject).map(decoded) : [];
}

function decoded(rule: Readonly<Record<string, unknown>>): PolicyRule {
  const texts = (field: string): readonly string[] | undefined => {
    const value = rule[field];
    return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
  };
  const entries = ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'].map((field) => [
    field,
    texts(field),
  ]);
  return {
    verbs: texts('verbs') ?? [],
    ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
  };
}
