import type { Controller, Permission } from '../controller/controller.ts';
import { definedResources } from '../controller/defined-resources.ts';
import { customResourceDefinitions } from '../model/builtin.ts';

/** What `ensureCrds` has to be allowed. Empty when no resource brings a definition. */
export function permissionsForCrds(controllers: readonly Controller[]): readonly Permission[] {
  const names = definedResources(controllers).map(({ definition }) => definition.metadata.name);
  return names.length === 0 ? [] : permissionsFor(names);
}

function permissionsFor(resourceNames: readonly string[]): readonly Permission[] {
  return [
    { resource: customResourceDefinitions, verbs: ['create'] },
    { resource: customResourceDefinitions, verbs: ['get', 'patch'], resourceNames },
  ];
}
