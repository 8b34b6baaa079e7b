import { formatYaml } from '../core/yaml.ts';
import type { CustomResourceDefinition } from '../model/custom-resource-definition.ts';

/**
 * The definition of a resource as YAML, for a manifest: equal declarations give equal text, fields in
 * the order of the declaration.
 */
export function crdYaml(resource: { readonly definition: CustomResourceDefinition }): string {
  return formatYaml(resource.definition);
}
