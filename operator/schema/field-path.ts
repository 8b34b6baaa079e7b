import { ConfigurationError } from '../core/errors.ts';
import { fieldSchema, type StructuralSchema } from '../model/structural-schema.ts';

/** Matches a path that consists only of field names, such as `.spec.replicas`. */
const SIMPLE = /^(?:\.[^.[\]'"*?@()\s\\]+)+$/;

/** The field names in a simple JSONPath; undefined for any other path. */
export function simplePath(jsonPath: string): readonly string[] | undefined {
  return SIMPLE.test(jsonPath) ? jsonPath.slice(1).split('.') : undefined;
}

/** The schema of the field at a path; undefined when there is no schema for it. */
export function schemaAt(
  root: StructuralSchema,
  fields: readonly string[],
): StructuralSchema | undefined {
  let at: StructuralSchema | undefined = root;
  for (const field of fields) at = at === undefined ? undefined : fieldSchema(at, field);
  return at;
}

/** True when the schema allows undeclared fields at the path. */
export function mayBeUnknown(root: StructuralSchema, fields: readonly string[]): boolean {
  let at: StructuralSchema | undefined = root;
  for (const field of fields) {
    if (at?.['x-kubernetes-preserve-unknown-fields'] === true) return true;
    at = at === undefined ? undefined : fieldSchema(at, field);
  }
  return false;
}

/** A problem with one field of an object: a cause in the API server's answer. */
export interface FieldProblem {
  /**
   * The path of the field in the API server's notation: `spec.ports[0].name`. Empty if the problem is not
   * about a single field.
   */
  readonly path: string;
  /** The reason of the cause, such as `FieldValueRequired`. */
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotFound'
    | 'FieldValueTooMany'
    | 'FieldValueTooLong'
    | 'InternalError';
  /** The message of the API server, which quotes the value of the field. */
  readonly message: string;
}

/**
 * The error for an invalid definition.
 *
 * @param path - the path of the problem in the options of `customResource`: `spec.ports[].name`.
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
