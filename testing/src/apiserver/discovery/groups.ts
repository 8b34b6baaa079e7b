import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { compareText, compareVersions } from './version-order.ts';

/**
 * The names of the groups: first the built-in groups in their order, then the groups of definitions sorted by
 * name. The name of the core group is the empty string.
 */
export function groupNames(registry: Registry): readonly string[] {
  const builtIn = registry.all().filter(({ custom }) => !custom);
  const custom = registry.all().filter((served) => served.custom);
  const added = [...new Set(custom.map(({ group }) => group))].toSorted(compareText);
  return [...new Set([...builtIn.map(({ group }) => group), ...added])];
}

/** The versions of a group, with the preferred version first. */
export function versionsOf(registry: Registry, group: string): readonly string[] {
  const served = registry.all().filter((resource) => resource.group === group);
  return [...new Set(served.map(({ version }) => version))].toSorted(compareVersions);
}

/**
 * The resources of a version: built-in resources in their order, custom resources sorted by name.
 */
export function resourcesOf(
  registry: Registry,
  group: string,
  version: string,
): readonly ServedResource[] {
  const served = registry
    .all()
    .filter((resource) => resource.group === group && resource.version === version);
  return served.some(({ custom }) => custom)
    ? served.toSorted((a, b) => compareText(a.plural, b.plural))
    : served;
}

/** The order in which custom resources list their verbs. */
const CUSTOM_VERBS: readonly string[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

/** The verbs of a resource, in the order in which discovery documents list them. */
export function listedVerbs({ custom, verbs }: ServedResource): readonly string[] {
  return custom ? CUSTOM_VERBS : verbs;
}
