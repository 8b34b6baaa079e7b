import { type Resource, type Source, source } from 'chancery';
import type { KnownKinds, PlacedPermission } from 'chancery/internal';
import type { Hook, HookRight, KubernetesBinding } from '../hook.ts';
import { selectionsOf } from '../watch/binding-selection.ts';
import { namespacesOf } from '../watch/watch-plan.ts';

/** The reads and writes of hooks. */
export interface HooksAccess {
  /**
   * The sources of all bindings: one source for each combination of resource, namespace, name and
   * selector.
   */
  readonly sources: readonly Source[];
  readonly permissions: readonly PlacedPermission[];
  /**
   * Kinds and resources that only the API server knows, one line each: `HOOK: kind Website`. Empty
   * when all are known.
   */
  readonly unknown: readonly string[];
}

/**
 * The reads and writes of hooks. The configurations of the hooks decide the reads, and their rights
 * files decide the writes.
 */
export function hooksAccess(hooks: readonly Hook[], known: KnownKinds): HooksAccess {
  const sources = new Map<string, Source>();
  const permissions: PlacedPermission[] = [];
  const unknown: string[] = [];
  for (const { name, config, rights = [] } of hooks) {
    for (const binding of config.kubernetes) {
      const { kind, apiVersion } = binding;
      const resource = known(kind, apiVersion);
      if (resource === undefined) {
        unknown.push(`${name}: kind ${kind}${apiVersion === undefined ? '' : ` of ${apiVersion}`}`);
      } else {
        for (const each of sourcesOf(binding, resource)) sources.set(JSON.stringify(each), each);
      }
    }
    for (const right of rights) {
      const { found, missing } = permissionsOf(right, known);
      permissions.push(...found);
      unknown.push(...missing.map((plural) => `${name}: resource ${plural}`));
    }
  }
  return { sources: [...sources.values()], permissions, unknown: [...new Set(unknown)] };
}

function sourcesOf(binding: KubernetesBinding, resource: Resource): readonly Source[] {
  const own = selectionsOf(binding, resource).map((selection) => source(resource, selection));
  return [...own, namespacesOf(binding) ?? []].flat();
}

function permissionsOf(right: HookRight, known: KnownKinds) {
  const { apiGroups, resources, verbs, resourceNames, namespaces } = right;
  const found: PlacedPermission[] = [];
  const missing: string[] = [];
  for (const group of apiGroups) {
    for (const path of resources) {
      const [plural = '', subresource] = path.split('/');
      const resource = known.ofPlural(plural, group);
      if (resource === undefined) {
        missing.push(group === '' ? plural : `${plural}.${group}`);
        continue;
      }
      found.push({
        resource,
        verbs,
        ...(subresource !== undefined && { subresource }),
        ...(resourceNames !== undefined && { resourceNames }),
        ...(namespaces !== undefined && { namespaces }),
      });
    }
  }
  return { found, missing };
}
