import { grants, type PolicyRule, pathMatches } from './policy-rule.ts';

/** The rights in `wanted` that `held` does not grant, as rules with one verb each. */
export function uncovered(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  return wanted.flatMap(singleRights).filter((right) => !held.some((rule) => covers(rule, right)));
}

/** A rule split into rules with one verb, one group, one resource and at most one name. */
function singleRights(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => named(name));
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...name,
        })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...ofResources, ...ofPaths];
}

function named(name: string): Pick<PolicyRule, 'resourceNames'> {
  return { resourceNames: [name] };
}

/**
 * Whether a rule grants a permission.
 * @param right - a rule with at most one entry in each list.
 */
function covers(rule: PolicyRule, right: PolicyRule): boolean {
  const [verb = ''] = right.verbs;
  if (!grants(rule.verbs, verb)) return false;
  const [url] = right.nonResourceURLs ?? [];
  if (url !== undefined) {
    return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, url));
  }
  const [group = ''] = right.apiGroups ?? [];
  const [resource = ''] = right.resources ?? [];
  const [name] = right.resourceNames ?? [];
  const names = rule.resourceNames ?? [];
  return (
    grants(rule.apiGroups, group) &&
    coversResource(rule, resource) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function coversResource({ resources }: PolicyRule, resource: string): boolean {
  const slash = resource.indexOf('/');
  return (
    grants(resources, resource) ||
    (slash >= 0 && resources?.includes(`*${resource.slice(slash)}`) === true)
  );
}

/** Formats rights like the server's messages: sorted, with one line per resource that contains all verbs. */
export function describeRights(rights: readonly PolicyRule[]): string {
  const together = new Map<string, PolicyRule>();
  for (const right of rights) {
    const { verbs, ...what } = right;
    const simple = right.resources !== undefined && right.resourceNames === undefined;
    const key = JSON.stringify(simple ? what : right);
    const known = together.get(key)?.verbs ?? [];
    together.set(key, { ...right, verbs: simple ? [...known, ...verbs] : verbs });
  }
  return [...new Set([...together.values()].map(describeRule))].sort().join('\n');
}

function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const texts = parts
    .filter(([, values]) => values !== undefined && values.length > 0)
    .map(([name, values]) => `${name}:${quotedList(values ?? [])}`);
  return `{${texts.join(', ')}}`;
}

/** A list of strings as Go prints it: `["get" "list"]`. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}
