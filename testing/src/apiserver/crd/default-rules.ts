import { isDeepStrictEqual } from 'node:util';
import {
  fieldErrors,
  prune,
  type StructuralSchema,
  validateBySchema,
} from 'chancery/internal-testing';
import type { FieldError } from '../failures.ts';
import { isObject } from '../objects/metadata.ts';

const { invalid } = fieldErrors;

/** What is wrong with the defaults of a schema: each must be valid by the schema that it stands in. */
export function defaultProblems(schema: StructuralSchema, path: string): readonly FieldError[] {
  const problems: FieldError[] = [];
  if (schema.default !== undefined) problems.push(...ownProblems(schema, `${path}.default`));
  const { items, additionalProperties } = schema;
  if (items !== undefined) problems.push(...defaultProblems(items, `${path}.items`));
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    problems.push(...defaultProblems(child, `${path}.properties[${name}]`));
  }
  if (isObject(additionalProperties)) {
    const child = additionalProperties as StructuralSchema;
    problems.push(...defaultProblems(child, `${path}.additionalProperties`));
  }
  return problems;
}

function ownProblems(schema: StructuralSchema, path: string): readonly FieldError[] {
  const value = schema.default;
  // A path of its own, as the root of an object has fields that no schema declares.
  const pruned = prune(value, schema, { path: 'default' });
  if (!isDeepStrictEqual(pruned, value)) {
    return [invalid(path, value, 'must not have unknown fields')];
  }
  return validateBySchema(value, schema).map((problem) => ({
    ...problem,
    field: problem.field === '<nil>' ? path : `${path}.${problem.field}`,
  }));
}
