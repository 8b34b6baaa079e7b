import type {
  CustomResourceDefinition,
  DefinitionVersion,
} from '../../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { sampleText } from './sample-text.ts';
import { NoSample, sampleOf } from './sample-value.ts';

/**
 * One object of every served version of the definitions: the fields that its schema requires, and those with a default.
 * A sample of the same `apiVersion` and `kind` in `given` takes its place. A schema for which no value is found has
 * none.
 */
export function samples(
  definitions: readonly CustomResourceDefinition[],
  given: readonly KubernetesObject[] = [],
): readonly object[] {
  return definitions.flatMap((definition) =>
    definition.spec.versions
      .filter(({ served }) => served)
      .flatMap((version) => {
        const apiVersion = `${definition.spec.group}/${version.name}`;
        const { kind } = definition.spec.names;
        const own = given.filter((each) => each.apiVersion === apiVersion && each.kind === kind);
        return own.length > 0 ? own : sample(definition, version);
      }),
  );
}

function sample(
  { spec: { group, names } }: CustomResourceDefinition,
  { name: version, schema: { openAPIV3Schema } }: DefinitionVersion,
): readonly object[] {
  const { properties = {}, required = [] } = openAPIV3Schema;
  const { apiVersion: _version, kind: _kind, metadata, status: _status, ...parts } = properties;
  // A spec without required fields is shown as well: people look for it.
  const wanted = Object.hasOwn(parts, 'spec') ? ['spec', ...required] : required;
  try {
    const name = sampleText(metadata?.properties?.name ?? {}, `${names.singular}-sample`);
    const values = sampleOf({ ...openAPIV3Schema, properties: parts, required: wanted });
    const apiVersion = `${group}/${version}`;
    return [{ apiVersion, kind: names.kind, metadata: { name }, ...(values as object) }];
  } catch (error) {
    if (error instanceof NoSample) return [];
    throw error;
  }
}
