import { type StructuralSchema, valuesSchema } from '../../model/structural-schema.ts';
import { type FieldError, invalid, NO_FIELD } from '../validation/field-errors.ts';
import { jsonEquals } from '../validation/json-equality.ts';
import { prune } from '../validation/stored-form.ts';
import { validateBySchema } from '../validation/validate.ts';
import type { Work } from '../work.ts';

/**
 * The problems of the defaults of a schema: each default must be valid according to the schema that contains
 * it.
 *
 * @throws TooMuchWork
 */
export function defaultProblems(
  schema: StructuralSchema,
  path: string,
  work: Work,
): readonly FieldError[] {
  work.spend(1);
  const { items } = schema;
  const values = valuesSchema(schema);
  return [
    ...(schema.default === undefined ? [] : ownProblems(schema, `${path}.default`, work)),
    ...(items === undefined ? [] : defaultProblems(items, `${path}.items`, work)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      defaultProblems(child, `${path}.properties[${name}]`, work),
    ),
    ...(values === undefined ? [] : defaultProblems(values, `${path}.additionalProperties`, work)),
  ];
}

function ownProblems(schema: StructuralSchema, path: string, work: Work): readonly FieldError[] {
  const value = schema.default;
  // The path must not be empty. With an empty path, the default would count as a whole object, which may have
  // `apiVersion`, `kind` and `metadata` without declaring them.
  if (!jsonEquals(prune(value, schema, { path: 'default', work }), value, work)) {
    return [invalid(path, value, 'must not have unknown fields')];
  }
  return validateBySchema(value, schema, '', { work }).map((problem) => ({
    ...problem,
    field: problem.field === NO_FIELD ? path : `${path}.${problem.field}`,
  }));
}
