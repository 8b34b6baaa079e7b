import { isMapping } from '../../core/mapping.ts';
import type { StructuralSchema } from '../../model/structural-schema.ts';

/** True for the schema of a whole object: the root, or an embedded object. */
export function isResource(schema: StructuralSchema, path: string): boolean {
  return path === '' || schema['x-kubernetes-embedded-resource'] === true;
}

/**
 * The schema itself and every schema in it, except for the schemas of `allOf`, `anyOf`, `oneOf` and
 * `not`.
 */
export function* spineOf(schema: StructuralSchema): Generator<StructuralSchema> {
  yield schema;
  const { items, additionalProperties } = schema;
  const below = [
    ...Object.values(schema.properties ?? {}),
    ...(isMapping(items) ? [items as StructuralSchema] : []),
    ...(isMapping(additionalProperties) ? [additionalProperties as StructuralSchema] : []),
  ];
  for (const child of below) yield* spineOf(child);
}

/** The path of a field as the API server writes it: a field of an object, or an entry of a map. */
export function childPath(schema: StructuralSchema, path: string, field: string): string {
  const named = schema.properties !== undefined && Object.hasOwn(schema.properties, field);
  return named ? joined(path, field) : `${path}[${field}]`;
}

export function joined(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
