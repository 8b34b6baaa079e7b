import type { PolicyRule } from '../../model/kubernetes/rbac-v1.ts';
import { resourceName } from '../../model/resource.ts';
import { VERBS } from './access.ts';
import type { MissingAccess } from './missing-access.ts';
import type { Need, RequiredRight } from './required-rights.ts';

/** A rule that roles lack, where it belongs, and why. */
export interface MissingAccessRule {
  readonly kind: 'Role' | 'ClusterRole';
  /** Of the Role. */
  readonly namespace: string | undefined;
  readonly rule: PolicyRule;
  /** What it is about, for people: `list, watch configmaps "a" in namespace demo`. */
  readonly text: string;
  readonly neededBy: readonly Need[];
}

/** What is missing, as the rules to add: the verbs on one object, or one kind of them, in one rule. */
export function missingRules({ rights, paths }: MissingAccess): readonly MissingAccessRule[] {
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

/** @param rights - alike but for their verbs. */
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

/** The rule on one line, as YAML takes it. */
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

/** Plain where YAML reads a text, and nothing else: no number, no date, no `true`, no `*` of an alias. */
function scalar(text: string): string {
  return /^[a-z][-a-z/]*[a-z]$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/.test(text)
    ? text
    : JSON.stringify(text);
}

/** Who needs it: `controller hello (source, owns)`. */
export function needsText(needs: readonly Need[]): string {
  const byController = Map.groupBy(needs, ({ controller }) => controller);
  return [...byController]
    .map(([controller, of]) => {
      const reasons = of.map(({ reason }) => reason).join(', ');
      return controller === undefined ? reasons : `controller ${controller} (${reasons})`;
    })
    .join('; ');
}
