import { fieldSchema, type StructuralSchema } from '../model/structural-schema.ts';

/** `.spec.replicas`: names of fields alone. */
const SIMPLE = /^(?:\.[^.[\]'"*?@()\s\\]+)+$/;

/** The fields of a simple JSONPath; undefined for any other. */
export function simplePath(jsonPath: string): readonly string[] | undefined {
  return SIMPLE.test(jsonPath) ? jsonPath.slice(1).split('.') : undefined;
}

/** The schema that a path leads to; undefined where it leads to none. */
export function schemaAt(
  root: StructuralSchema,
  fields: readonly string[],
): StructuralSchema | undefined {
  let at: StructuralSchema | undefined = root;
  for (const field of fields) at = at === undefined ? undefined : fieldSchema(at, field);
  return at;
}

/** True where what a path leads to may be there without a schema. */
export function mayBeUnknown(root: StructuralSchema, fields: readonly string[]): boolean {
  let at: StructuralSchema | undefined = root;
  for (const field of fields) {
    if (at?.['x-kubernetes-preserve-unknown-fields'] === true) return true;
    at = at === undefined ? undefined : fieldSchema(at, field);
  }
  return false;
}
