import type { NonResourceRule, ResourceRule } from '../model/kubernetes/authorization-v1.ts';
import type { PolicyRule } from '../model/kubernetes/rbac-v1.ts';
import { resourceName } from '../model/resource.ts';
import { VERBS } from './merge-access.ts';
import type { Need, NeededAccess, RequiredRight } from './required-rights.ts';

/** The rights in one namespace, as a SelfSubjectRulesReview returns them. */
export interface GrantedRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
}

/**
 * The needed access that the rules do not grant.
 *
 * @param rulesIn - returns the rules in a namespace. If the argument is undefined, it returns the rules for
 *   every namespace and for cluster-scoped resources. The function also applies these rules in each
 *   namespace, so the caller does not need to repeat them.
 */
export function missingAccess(
  needed: NeededAccess,
  rulesIn: (namespace: string | undefined) => GrantedRules,
): NeededAccess {
  const everywhere = rulesIn(undefined);
  const isMissing = (right: RequiredRight): boolean =>
    !grantsRight(everywhere.resourceRules, right) &&
    (right.namespace === undefined || !grantsRight(rulesIn(right.namespace).resourceRules, right));
  return {
    rights: needed.rights.filter(isMissing),
    paths: needed.paths.filter(({ path }) => !grantsPath(everywhere.nonResourceRules, path)),
  };
}

/**
 * True when one of the rules grants the right. A right on all objects is not granted by several rules with
 * names, however many names they have.
 */
function grantsRight(rules: readonly ResourceRule[], right: RequiredRight): boolean {
  const { verb, resource, subresource, name } = right;
  const { group, plural } = resource;
  return rules.some(
    ({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
      has(verbs, verb) &&
      has(apiGroups, group) &&
      coversResource(resources, plural, subresource) &&
      // `*` is not a wildcard here, but the name of an object.
      (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))),
  );
}

/** True when a rule allows reading `path`: it contains the path itself, or a prefix of it followed by `*`. */
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

/** A rule that must be added to a role, with the namespace of the role and the reasons. */
export interface MissingAccessRule {
  readonly kind: 'Role' | 'ClusterRole';
  /** The namespace of the Role. Undefined for a ClusterRole. */
  readonly namespace: string | undefined;
  readonly rule: PolicyRule;
  /** The rule in human-readable form: `list, watch configmaps "a" in namespace demo`. */
  readonly text: string;
  readonly neededBy: readonly Need[];
}

/**
 * The missing access as rules that must be added. Verbs on the same object, or on all objects of a resource,
 * are in one rule.
 */
export function missingRules({ rights, paths }: NeededAccess): readonly MissingAccessRule[] {
  const alike = Map.groupBy(rights, ({ resource, subresource, namespace, name }) =>
    JSON.stringify([namespace ?? 0, resourceName(resource), subresource ?? 0, name ?? 0]),
  );
  return [
    ...[...alike.values()].flatMap(([first, ...others]) =>
      first === undefined ? [] : [ruleFor(first, [first, ...others])],
    ),
    ...paths.map(({ path, neededBy }): MissingAccessRule => {
      const rule = { nonResourceURLs: [path], verbs: ['get'] };
      return { kind: 'ClusterRole', namespace: undefined, rule, text: `get ${path}`, neededBy };
    }),
  ];
}

/** @param rights - rights that differ only in their verbs. */
function ruleFor(
  { resource, subresource, namespace, name }: RequiredRight,
  rights: readonly RequiredRight[],
): MissingAccessRule {
  const verbs = VERBS.filter((each) => rights.some(({ verb }) => verb === each));
  const tail = subresource === undefined ? '' : `/${subresource}`;
  const needs = rights.flatMap(({ neededBy }) => neededBy);
  return {
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    namespace,
    rule: {
      apiGroups: [resource.group],
      resources: [resource.plural + tail],
      ...(name !== undefined && { resourceNames: [name] }),
      verbs,
    },
    text: [
      `${verbs.join(', ')} ${resourceName(resource)}${tail}`,
      ...(name === undefined ? [] : [JSON.stringify(name)]),
      placeOf(resource.namespaced, namespace),
    ].join(' '),
    neededBy: [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()],
  };
}

function placeOf(namespaced: boolean, namespace: string | undefined): string {
  if (namespace !== undefined) return `in namespace ${namespace}`;
  return namespaced ? 'in all namespaces' : 'in the cluster';
}

/** The rule as YAML on one line. */
export function ruleYaml(rule: PolicyRule): string {
  const lists = [
    ['apiGroups', rule.apiGroups],
    ['resources', rule.resources],
    ['resourceNames', rule.resourceNames],
    ['nonResourceURLs', rule.nonResourceURLs],
    ['verbs', rule.verbs],
  ] as const;
  const parts = lists
    .filter(([, values]) => values !== undefined)
    .map(([name, values = []]) => `${name}: [${values.map(scalar).join(', ')}]`);
  return `{ ${parts.join(', ')} }`;
}

/**
 * The string as YAML. It has no quotes if YAML reads it as a string, and quotes if YAML could read it as
 * something else, such as a number, a date, `true` or an alias.
 */
function scalar(text: string): string {
  return /^[a-z][-a-z/]*[a-z]$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/.test(text)
    ? text
    : JSON.stringify(text);
}

/** The controllers that need a right, with the reasons: `controller hello (source, owns)`. */
export function needsText(needs: readonly Need[]): string {
  const byController = Map.groupBy(needs, ({ controller }) => controller);
  return [...byController]
    .map(([controller, of]) => {
      const reasons = of.map(({ reason }) => reason).join(', ');
      return controller === undefined ? reasons : `controller ${controller} (${reasons})`;
    })
    .join('; ');
}
