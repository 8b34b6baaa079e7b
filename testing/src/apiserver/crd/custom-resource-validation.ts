import type { StructuralSchema } from 'chancery/internal';
import type { Rules } from '../cel/rules.ts';
import type { FieldError } from '../failures/invalid.ts';
import { isObject, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ScalePaths } from '../registry/served-resource.ts';
import { Correlation } from '../schema/correlation.ts';
import { embeddedResourceProblems } from '../schema/embedded-resources.ts';
import { invalid } from '../schema/field-errors.ts';
import { listTypeProblems } from '../schema/list-types.ts';
import { validateBySchema } from '../schema/validate.ts';

/** What custom resources of one version are held to. */
export interface Validation {
  readonly schema: StructuralSchema;
  /** Undefined where the schema has none. */
  readonly rules: Rules | undefined;
  readonly scale: ScalePaths | undefined;
}

/** Said when rules between fields were not looked at, since the fields themselves are wrong. */
const UNCHECKED: FieldError = {
  field: '<nil>',
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Problems after which a rule could meet values that it was not written for. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** What is wrong with a custom resource. What was wrong before, and did not change, may stay. */
export function validateCustomResource(
  object: StoredObject,
  previous: StoredObject | undefined,
  { schema, rules, scale }: Validation,
): readonly FieldError[] {
  const correlation =
    previous === undefined ? undefined : new Correlation(object, previous, schema);
  const problems = [
    ...enumerationsFirst(validateBySchema(object, schema, '', correlation)),
    ...scaleProblems(object, scale),
    ...embeddedResourceProblems(object, schema),
    ...newListProblems(object, previous, schema),
  ];
  if (rules === undefined) return problems;
  if (problems.some(({ reason }) => BLOCKING.has(reason))) return [...problems, UNCHECKED];
  return [...problems, ...rules.problems(object, previous, correlation)];
}

/** Among fields the order of the server is any; this one is as good, and was seen. */
function enumerationsFirst(problems: readonly FieldError[]): readonly FieldError[] {
  const isEnum = ({ reason }: FieldError): boolean => reason === 'FieldValueNotSupported';
  return [...problems.filter(isEnum), ...problems.filter((problem) => !isEnum(problem))];
}

/** A list that had repetitions before may have them now. */
function newListProblems(
  object: StoredObject,
  previous: StoredObject | undefined,
  schema: StructuralSchema,
): readonly FieldError[] {
  if (previous !== undefined && listTypeProblems(previous, schema).length > 0) return [];
  return listTypeProblems(object, schema);
}

const MAX_REPLICAS = 2_147_483_647;

/** What `/scale` shows has to be something that it can show. */
function scaleProblems(object: StoredObject, scale: ScalePaths | undefined): readonly FieldError[] {
  if (scale === undefined) return [];
  return [scale.replicas, scale.statusReplicas].flatMap((path) => {
    const value = valueAt(object, path);
    const field = `.${path.join('.')}`;
    if (value === undefined || value === null || isObject(value)) return [];
    if (typeof value !== 'number' && typeof value !== 'bigint') return [];
    if (value < 0) return [invalid(field, value, 'should be a non-negative integer')];
    if (value <= MAX_REPLICAS) return [];
    return [invalid(field, value, `should be less than or equal to ${MAX_REPLICAS}`)];
  });
}
