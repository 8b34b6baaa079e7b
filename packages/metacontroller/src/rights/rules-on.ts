import type { Resource } from 'chancery';
import {
  type AccessDeclaration,
  accessOf,
  isSameResource,
  type PolicyRule,
} from 'chancery/internal';

/**
 * The rules of these declarations for one resource and its subresources, in all namespaces. When
 * the API server refuses access to the resource, a user has to add these rules to a role.
 */
export function rulesOn(
  resource: Resource,
  declarations: readonly AccessDeclaration[],
): readonly PolicyRule[] {
  return accessOf(declarations, { namespaces: undefined })
    .filter((access) => isSameResource(access.resource, resource))
    .map(({ subresource, verbs, resourceNames }) => ({
      apiGroups: [resource.group],
      resources: [
        subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`,
      ],
      ...(resourceNames !== undefined && { resourceNames }),
      verbs,
    }));
}
