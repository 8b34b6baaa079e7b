import { type ObjectKey, type ObjectMeta, objectKey, ownersIn } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';

/**
 * The keys of the owners that `child` names and that are objects of `owner`.
 *
 * Group and kind are compared, the version is not: an owner keeps its identity when its API version
 * changes. A namespaced owner is in the child's namespace, as the API has it; a cluster-scoped child
 * cannot have one.
 *
 * @param anyOwner - false: only the owner that is marked as `controller`.
 */
export function ownerKeys(
  metadata: ObjectMeta,
  owner: Resource,
  anyOwner: boolean,
): readonly ObjectKey[] {
  const { namespace } = metadata;
  if (owner.namespaced && namespace === undefined) return [];
  return ownersIn(metadata)
    .filter(({ controller }) => anyOwner || controller === true)
    .filter(({ kind, apiVersion }) => kind === owner.kind && groupOf(apiVersion) === owner.group)
    .map(({ name }) => objectKey(owner.namespaced ? namespace : undefined, name));
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
