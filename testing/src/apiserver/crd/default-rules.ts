import { isDeepStrictEqual } from 'node:util';
import type { StructuralSchema } from 'chancery/internal';
import type { FieldError } from '../failures/invalid.ts';
import { isObject } from '../objects/metadata.ts';
import { invalid } from '../schema/field-errors.ts';
import { prune } from '../schema/prune.ts';
import { validateBySchema } from '../schema/validate.ts';

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
  const pruned = prune(value, schema, () => {}, 'default');
  if (!isDeepStrictEqual(pruned, value)) {
    return [invalid(path, value, 'must not have unknown fields')];
  }
  return validateBySchema(value, schema).map((problem) => ({
    ...problem,
    field: problem.field === '<nil>' ? path : `${path}.${problem.field}`,
  }));
}
