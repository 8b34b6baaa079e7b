import type { Controller } from '../../controller/controller.ts';
import type { Placement } from '../placement.ts';
import { type RbacRole, type RbacRoleBinding, rbac } from '../rbac/rbac.ts';
import type { ManifestsOptions } from './manifests-options.ts';

/**
 * Roles and bindings for the operator's ServiceAccount, each with its namespace written out: an overlay
 * that moves the operator finds them by that, and one that forgets to loses none of them.
 *
 * @param suffix - what the names have behind the operator's.
 */
export function roles(
  controllers: readonly Controller[],
  placement: Placement,
  { name, namespace }: Pick<ManifestsOptions, 'name' | 'namespace'>,
  suffix: string = '',
): readonly (RbacRole | RbacRoleBinding)[] {
  const granted = rbac(controllers, {
    ...placement,
    name: `${name}${suffix}`,
    serviceAccount: { name, namespace },
  });
  return granted.map((object) => {
    const isOurs = object.kind === 'Role' || object.kind === 'RoleBinding';
    if (!isOurs || object.metadata.namespace !== undefined) return object;
    return { ...object, metadata: { ...object.metadata, namespace } };
  });
}
