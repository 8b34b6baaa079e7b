import { formatYaml } from '../core/yaml.ts';
import {
  type ConversionClient,
  type CustomResourceDefinition,
  withConversionClient,
} from '../model/custom-resource-definition.ts';

/**
 * The definition of a resource as YAML, for a manifest. Fields are in the order of the declaration, so
 * equal declarations give equal text.
 *
 * @param conversion - where the API server reaches the operator that converts objects. Without it the definition
 *   of a resource with conversions lacks the name and namespace of the Service. A Service without a path gets
 *   `/convert`, and one without a port 443. Not used for a resource without conversions.
 */
export function crdYaml(
  { definition }: { readonly definition: CustomResourceDefinition },
  conversion?: ConversionClient,
): string {
  return formatYaml(
    conversion === undefined ? definition : withConversionClient(definition, conversion),
  );
}
