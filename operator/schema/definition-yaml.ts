import { formatYaml } from '../core/yaml.ts';
import {
  type ConversionClient,
  type CustomResourceDefinition,
  withConversionClient,
} from '../model/custom-resource-definition.ts';

/**
 * The definition of a resource as YAML, for a manifest. Fields are in the order of the declaration, so equal
 * declarations result in equal YAML.
 *
 * @param conversion - the address at which the API server reaches the operator that converts objects. If
 *   omitted, the definition of a resource with conversions has no address, and the API server refuses it. A
 *   Service without a path gets `/convert`, and a Service without a port gets 443. This argument is not used
 *   for a resource without conversions.
 */
export function crdYaml(
  { definition }: { readonly definition: CustomResourceDefinition },
  conversion?: ConversionClient,
): string {
  return formatYaml(
    conversion === undefined ? definition : withConversionClient(definition, conversion),
  );
}
