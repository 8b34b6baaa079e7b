import type { Resource } from 'chancery';
import { formatYaml } from 'chancery/low-level';
import type { HookRight } from '../hook.ts';
import { type PatchOperation, verbsOfOperation } from './verbs-of-operation.ts';

type Verb = HookRight['verbs'][number];

/** One verb on one object. */
export interface RequiredRight {
  readonly apiGroup: string;
  /** The plural name of the resource, followed by `/` and the subresource if there is one. */
  readonly resource: string;
  readonly verb: Verb;
  /** The namespace of the object. Undefined for a cluster-scoped object. */
  readonly namespace: string | undefined;
  /**
   * The name of the object. Undefined when the path of the request contains no name, such as for a
   * POST.
   */
  readonly name: string | undefined;
}

/** The rights that an operation on an object needs. */
export function requiredRights(
  {
    operation,
    subresource,
  }: { readonly operation: PatchOperation; readonly subresource?: string | undefined },
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  target: { readonly namespace: string | undefined; readonly name: string },
): readonly RequiredRight[] {
  return verbsOfOperation(operation, subresource).flatMap(({ subresource: part, verbs }) =>
    verbs.map((verb) => ({
      apiGroup: group,
      resource: part === undefined ? plural : `${plural}/${part}`,
      verb,
      namespace: target.namespace,
      name: verb === 'create' && operation !== 'Apply' ? undefined : target.name,
    })),
  );
}

/** The rights in `needed` that no rule in `declared` grants. */
export function missingRights(
  needed: readonly RequiredRight[],
  declared: readonly HookRight[],
): readonly RequiredRight[] {
  return needed.filter((right) => !declared.some((rule) => allows(rule, right)));
}

function allows(
  rule: HookRight,
  { apiGroup, resource, verb, namespace, name }: RequiredRight,
): boolean {
  const { apiGroups, resources, verbs, resourceNames, namespaces } = rule;
  return (
    apiGroups.includes(apiGroup) &&
    resources.includes(resource) &&
    verbs.includes(verb) &&
    (resourceNames === undefined || (name !== undefined && resourceNames.includes(name))) &&
    (namespaces === undefined || (namespace !== undefined && namespaces.includes(namespace)))
  );
}

/** Rules that grant the rights in `needed`: one rule per resource, for every namespace and name. */
export function rulesFor(needed: readonly RequiredRight[]): readonly HookRight[] {
  const rules = new Map<string, HookRight>();
  for (const { apiGroup, resource, verb } of needed) {
    const key = `${apiGroup}/${resource}`;
    const verbs = new Set(rules.get(key)?.verbs).add(verb);
    rules.set(key, { apiGroups: [apiGroup], resources: [resource], verbs: [...verbs].toSorted() });
  }
  return [...rules.keys()].toSorted().flatMap((key) => rules.get(key) ?? []);
}

/**
 * `rules` with the rules in `added`. An added rule is merged into a rule for the same resource if
 * that rule has no names and no namespaces.
 */
export function joinedRules(
  rules: readonly HookRight[],
  added: readonly HookRight[],
): readonly HookRight[] {
  const joined = [...rules];
  for (const rule of added) {
    const at = joined.findIndex((each) => isForSame(each, rule));
    const known = joined[at];
    if (known === undefined) joined.push(rule);
    else joined[at] = { ...known, verbs: [...new Set([...known.verbs, ...rule.verbs])].toSorted() };
  }
  return joined;
}

function isForSame(a: HookRight, b: HookRight): boolean {
  const isWide = a.resourceNames === undefined && a.namespaces === undefined;
  return (
    isWide &&
    String(a.apiGroups) === String(b.apiGroups) &&
    String(a.resources) === String(b.resources)
  );
}

/** The text of a rights file with these rules. */
export function formatRights(rules: readonly HookRight[]): string {
  return formatYaml({ rules });
}
