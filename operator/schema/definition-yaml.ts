import { formatYaml } from '../core/yaml.ts';
import type { CustomResourceDefinition } from '../model/custom-resource-definition.ts';

/**
 * The definition of a resource as YAML, for a manifest. Fields are in the order of the declaration, so
 * equal declarations give equal text.
 */
export function crdYaml(resource: { readonly definition: CustomResourceDefinition }): string {
  return formatYaml(resource.definition);
}
