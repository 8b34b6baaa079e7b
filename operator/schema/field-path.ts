import { ConfigurationError } from '../core/errors.ts';
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

/** What is wrong with one field of an object. */
export interface FieldProblem {
  /** As the API server writes it: `spec.ports[0].name`. */
  readonly path: string;
  /** What the API server says of it. */
  readonly message: string;
}

export function joined(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/**
 * The refusal of a definition.
 *
 * @param path - of what is wrong, from the options of `customResource`: `spec.ports[].name`.
 * @param remedy - what to write instead.
 */
export function definitionError(
  path: string,
  problem: string,
  remedy: string,
  cause?: unknown,
): ConfigurationError {
  return new ConfigurationError(`${path}: ${problem}: ${remedy}`, {
    context: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}
