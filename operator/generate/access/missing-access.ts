import type { NonResourceRule, ResourceRule } from '../../model/kubernetes/authorization-v1.ts';
import type { RequiredAccessRule } from './required-access.ts';
import {
  type NeededPath,
  neededPaths,
  type RequiredRight,
  requiredRights,
} from './required-rights.ts';

/** What somebody may do in one place, as a SelfSubjectRulesReview tells it. */
export interface GrantedRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
}

/** Declared, and not granted. */
export interface MissingAccess {
  readonly rights: readonly RequiredRight[];
  readonly paths: readonly NeededPath[];
}

/**
 * What of the declared access the rules do not grant.
 *
 * @param rulesIn - what is granted in a namespace; for undefined, in every namespace and outside of
 *   them. What is granted everywhere is granted in each namespace, too: the caller need not say so.
 */
export function missingAccess(
  declared: readonly RequiredAccessRule[],
  rulesIn: (namespace: string | undefined) => GrantedRules,
): MissingAccess {
  const everywhere = rulesIn(undefined);
  const isMissing = (right: RequiredRight): boolean =>
    !grantsRight(everywhere.resourceRules, right) &&
    (right.namespace === undefined || !grantsRight(rulesIn(right.namespace).resourceRules, right));
  return {
    rights: requiredRights(declared).filter(isMissing),
    paths: neededPaths(declared).filter(
      ({ path }) => !grantsPath(everywhere.nonResourceRules, path),
    ),
  };
}

/** True when one of the rules alone grants the right: names of several do not add up to all. */
function grantsRight(rules: readonly ResourceRule[], right: RequiredRight): boolean {
  const { verb, resource, subresource, name } = right;
  const { group, plural } = resource;
  return rules.some(
    ({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
      has(verbs, verb) &&
      has(apiGroups, group) &&
      coversResource(resources, plural, subresource) &&
      // `*` is no wildcard here: it is the object of that name.
      (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))),
  );
}

/** True when one of the rules lets `path` be read: itself, or below a pattern that ends in `*`. */
function grantsPath(rules: readonly NonResourceRule[], path: string): boolean {
  return rules.some(
    ({ verbs, nonResourceURLs = [] }) =>
      has(verbs, 'get') &&
      nonResourceURLs.some(
        (url) => url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, ''))),
      ),
  );
}

function coversResource(
  resources: readonly string[],
  plural: string,
  subresource: string | undefined,
): boolean {
  if (subresource === undefined) return has(resources, plural);
  return has(resources, `${plural}/${subresource}`) || resources.includes(`*/${subresource}`);
}

function has(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}
