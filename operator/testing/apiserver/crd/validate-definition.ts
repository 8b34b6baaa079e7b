import type { StoredObject } from '../cluster-access.ts';
import type { FieldError } from '../failures.ts';
import { isObject, type Json } from '../objects/metadata.ts';

/** What is wrong with a CustomResourceDefinition. */
export function validateDefinition(definition: StoredObject): readonly FieldError[] {
  const { spec, metadata } = definition;
  if (!isObject(spec)) return [required('spec')];
  const names = isObject(spec.names) ? spec.names : {};
  const problems: FieldError[] = [];
  if (metadata.name !== `${names.plural}.${spec.group}`) {
    const message = `Invalid value: ${JSON.stringify(metadata.name)}: must be spec.names.plural+"."+spec.group`;
    problems.push({ field: 'metadata.name', reason: 'FieldValueInvalid', message });
  }
  if (!spec.group) problems.push(required('spec.group'));
  if (!names.kind) problems.push(required('spec.names.kind'));
  if (!names.plural) problems.push(required('spec.names.plural'));
  const versions = Array.isArray(spec.versions) ? spec.versions.filter(isObject) : [];
  if (versions.filter((version) => version.storage === true).length !== 1) {
    const message = 'Invalid value: must have exactly one version marked as storage version';
    problems.push({ field: 'spec.versions', reason: 'FieldValueInvalid', message });
  }
  versions.forEach((version, at) => {
    problems.push(
      ...versionProblems(
        version,
        versions.length > 1 ? `spec.versions[${at}].schema` : 'spec.validation',
      ),
    );
  });
  return problems;
}

function versionProblems(version: Json, field: string): readonly FieldError[] {
  const schema = isObject(version.schema) ? version.schema.openAPIV3Schema : undefined;
  const path = `${field}.openAPIV3Schema`;
  if (!isObject(schema)) return [required(path, 'Required value: schemas are required')];
  const problems: FieldError[] = [];
  if (schema.type === undefined) {
    problems.push(required(`${path}.type`, 'Required value: must not be empty at the root'));
  }
  return [...problems, ...typeProblems(schema, path)];
}

/** A structural schema names the type of every field. */
function typeProblems(schema: Json, path: string): readonly FieldError[] {
  const problems: FieldError[] = [];
  const visit = (child: unknown, at: string, what: string): void => {
    if (!isObject(child)) return;
    if (child.type === undefined && !isUntyped(child)) {
      problems.push(
        required(`${at}.type`, `Required value: must not be empty for specified ${what}`),
      );
    }
    problems.push(...typeProblems(child, at));
  };
  for (const [name, child] of Object.entries(
    isObject(schema.properties) ? schema.properties : {},
  )) {
    visit(child, `${path}.properties[${name}]`, 'object fields');
  }
  visit(schema.items, `${path}.items`, 'array items');
  visit(schema.additionalProperties, `${path}.additionalProperties`, 'object fields');
  return problems;
}

function isUntyped(schema: Json): boolean {
  return (
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true
  );
}

function required(field: string, message = 'Required value'): FieldError {
  return { field, reason: 'FieldValueRequired', message };
}
