import { type KubernetesObject, type Resource, resourceName, type Source } from 'chancery';
import { isSameResource, type PolicyRule, type SharedInformer } from 'chancery/internal';
import { ruleToAdd } from '../rights/missing-rule.ts';
import type { Trouble } from './trouble.ts';

/** A source of a controller, and its cache. */
export interface WatchedSource {
  readonly source: Source;
  readonly informer: SharedInformer<KubernetesObject>;
}

/**
 * The reason why a controller cannot use its sources. Undefined when every source has received its
 * first list.
 *
 * @param parents - the resources whose objects are reconciled.
 * @param rulesOn - the rules that the controller needs on a resource, besides the permission to
 * watch it.
 */
export function sourceTrouble(
  sources: readonly WatchedSource[],
  parents: readonly Resource[],
  rulesOn: (resource: Resource) => readonly PolicyRule[],
): Trouble | undefined {
  const inHealth = (health: string): readonly WatchedSource[] =>
    sources.filter(({ informer }) => informer.status.health === health);
  const [unserved] = inHealth('unserved');
  if (unserved !== undefined) {
    const { resource } = unserved.source;
    const isParent = parents.some((parent) => isSameResource(parent, resource));
    return {
      reason: isParent ? 'ParentNotServed' : 'ChildNotServed',
      message: `the API server no longer serves ${resourceName(resource)}`,
      ends: true,
    };
  }
  const forbidden = inHealth('forbidden');
  if (forbidden.length > 0) return { ...forbiddenTrouble(forbidden, rulesOn), ends: false };
  const waiting = sources.filter(({ informer }) => !informer.synced);
  if (waiting.length === 0) return undefined;
  const names = waiting.map(({ source }) => resourceName(source.resource));
  return {
    reason: 'Starting',
    message: `waits for the first list of ${[...new Set(names)].join(', ')}`,
    ends: false,
  };
}

function forbiddenTrouble(
  forbidden: readonly WatchedSource[],
  rulesOn: (resource: Resource) => readonly PolicyRule[],
): Omit<Trouble, 'ends'> {
  const rules = forbidden.flatMap(({ source }) => neededRules(source, rulesOn(source.resource)));
  const filtered = forbidden
    .filter(({ informer }) => informer.status.reason === 'filtered')
    .map(({ source }) => resourceName(source.resource));
  const messages = [...new Set(rules)];
  if (filtered.length > 0) {
    const names = [...new Set(filtered)].join(', ');
    messages.push(`open ${names} in the filter of the ambassador`);
  }
  return { reason: 'Forbidden', message: messages.join('; ') };
}

/**
 * All rules that are needed on the resource of a source, so that a user need not add them one by
 * one.
 */
function neededRules(of: Source, rules: readonly PolicyRule[]): readonly string[] {
  if (rules.length === 0) return [watchRule(of)];
  return rules.map((rule) => ruleToAdd({ ...placeOf(of), rule }));
}

/** The rule that watching a source needs. */
export function watchRule(of: Source): string {
  const { group, plural } = of.resource;
  const rule = { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch'] };
  return ruleToAdd({ ...placeOf(of), rule });
}

function placeOf({ namespace }: Source) {
  return typeof namespace === 'string'
    ? ({ kind: 'ClusterRole', namespace: undefined } as const)
    : ({ kind: 'Role', namespace: namespace.name } as const);
}
