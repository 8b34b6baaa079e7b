import type { Controller, Permission } from '../../controller/controller.ts';
import { definedResources } from '../../controller/defined-resources.ts';
import { customResourceDefinitions } from '../../model/builtin.ts';

/**
 * What `ensureCrds` has to be allowed. Empty when no resource brings a definition.
 *
 * It creates by server-side apply, whose path has the name, so that no other definition can be created.
 */
export function permissionsForCrds(controllers: readonly Controller[]): readonly Permission[] {
  const resourceNames = definedResources(controllers).map(
    ({ definition }) => definition.metadata.name,
  );
  if (resourceNames.length === 0) return [];
  const verbs = ['get', 'create', 'patch'] as const;
  return [{ resource: customResourceDefinitions, verbs, resourceNames }];
}
