import type { Controller, Permission } from '../controller/controller.ts';
import { ConfigurationError } from '../core/errors.ts';
import { customResourceDefinitions } from '../model/builtin.ts';
import { type DefinedResource, hasDefinition } from '../model/custom-resource-definition.ts';
import type { ApiError } from '../model/status.ts';

/** A permission for some objects alone. */
export interface NamedPermission extends Permission {
  /** Left out: every object, as for `create`, for which RBAC knows no names. */
  readonly resourceNames?: readonly string[];
}

/**
 * The resources of `controllers` that bring their definition along, each once, sorted by name.
 *
 * @throws ConfigurationError `CONFIG` when two of them declare one resource differently.
 */
export function definedResources(controllers: readonly Controller[]): readonly DefinedResource[] {
  const found = new Map<string, DefinedResource>();
  const resources = controllers.flatMap(({ for: own, owns, watches }) =>
    [own, ...[...owns, ...watches].map(({ source }) => source)].map(({ resource }) => resource),
  );
  for (const resource of resources.filter(hasDefinition)) {
    const { name } = resource.definition.metadata;
    const known = found.get(name);
    if (known !== undefined && known.definition !== resource.definition) {
      const context = { definition: name };
      throw new ConfigurationError('two definitions of one resource: share one', { context });
    }
    found.set(name, resource);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
}

/** What `ensureCrds` has to be allowed. Empty when no resource brings a definition. */
export function permissionsForCrds(controllers: readonly Controller[]): readonly NamedPermission[] {
  const names = definedResources(controllers).map(({ definition }) => definition.metadata.name);
  return names.length === 0 ? [] : permissionsFor(names);
}

function permissionsFor(resourceNames: readonly string[]): readonly NamedPermission[] {
  return [
    { resource: customResourceDefinitions, verbs: ['create'] },
    { resource: customResourceDefinitions, verbs: ['get', 'patch'], resourceNames },
  ];
}

/** Why a definition cannot be installed, with the rule that a ClusterRole lacks. */
export function missingRight(
  refusal: ApiError,
  asked: 'get' | 'patch',
  definition: string,
): ConfigurationError {
  // An apply of what is not there needs the right to create, too; the server says which one is missing.
  const verb = /cannot (create|get|patch) resource/.exec(refusal.message)?.[1] ?? asked;
  const rule =
    verb === 'create'
      ? '{ apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [create] }'
      : `{ apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [${definition}], verbs: [get, patch] }`;
  return new ConfigurationError(
    `no right to ${verb} customresourcedefinitions.apiextensions.k8s.io ${definition}: add to a ClusterRole of the operator: ${rule}`,
    {
      cause: refusal,
      context: {
        verb,
        resource: 'customresourcedefinitions.apiextensions.k8s.io',
        resourceName: definition,
      },
    },
  );
}
