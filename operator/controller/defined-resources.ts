import { ConfigurationError } from '../core/errors.ts';
import { type DefinedResource, hasDefinition } from '../model/custom-resource-definition.ts';
import type { Controller } from './controller.ts';
import { sourcesOf } from './controller.ts';

/**
 * The resources of `controllers` that bring their definition along, each once, sorted by name.
 *
 * @throws ConfigurationError `CONFIG` when two of them declare one resource differently.
 */
export function definedResources(controllers: readonly Controller[]): readonly DefinedResource[] {
  const found = new Map<string, DefinedResource>();
  const resources = controllers.flatMap(sourcesOf).map(({ resource }) => resource);
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
