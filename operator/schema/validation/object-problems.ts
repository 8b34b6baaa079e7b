import { isMapping } from '../../core/mapping.ts';
import type { StructuralSchema } from '../../model/structural-schema.ts';
import { TooMuchWork, Work } from '../work.ts';
import { Correlation } from './correlation.ts';
import { embeddedResourceProblems } from './embedded-resources.ts';
import { type FieldError, fieldName, invalid } from './field-errors.ts';
import { listTypeProblems } from './list-types.ts';
import { storedForm } from './stored-form.ts';
import { validateBySchema } from './validate.ts';

/** The rules for custom resources of one version. */
export interface ObjectRules {
  readonly schema: StructuralSchema;
  /** The paths of the numbers that the subresource `scale` returns, such as `['spec', 'replicas']`. */
  readonly scaled: readonly (readonly string[])[];
  /**
   * Evaluates the rules in CEL and returns their problems. It is called after all other checks, and
   * only if they found no problem that could mislead a rule. Undefined if the schema has no rules,
   * or if they are not to be evaluated.
   */
  readonly rules?: ((correlation: Correlation | undefined) => readonly FieldError[]) | undefined;
}

/**
 * Maximum number of steps to validate one object, which take a second on a slow machine. This number suffices
 * for the largest objects that an API server accepts. An object that needs more steps is refused here,
 * although an API server would not refuse it.
 */
export const OBJECT_STEPS = 50_000_000;

/** The API server adds this problem if it did not evaluate the rules because fields are invalid. */
const UNCHECKED: FieldError = {
  field: fieldName(''),
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/**
 * Reasons of problems that prevent rules from being evaluated, because a rule could get values that it was
 * not written for.
 */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * The causes for which the API server refuses a custom resource, in the server's order and with the server's
 * messages. A field or an item that did not change may keep a problem that it had in `previous`.
 *
 * @param object - the object as it is stored: with defaults, and without the fields that the API server
 *   prunes.
 * @param previous - the object before the write; undefined when the object is created.
 */
export function objectProblems(
  object: unknown,
  previous: unknown,
  rules: ObjectRules,
): readonly FieldError[] {
  return bounded((work) => problemsIn(object, previous, rules, work));
}

/** The problems of an object that a client wants to create. */
export function newObjectProblems(object: unknown, rules: ObjectRules): readonly FieldError[] {
  return bounded((work) => {
    return problemsIn(storedForm(object, rules.schema, work), undefined, rules, work);
  });
}

function bounded(validate: (work: Work) => readonly FieldError[]): readonly FieldError[] {
  try {
    return validate(new Work(OBJECT_STEPS));
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    const message = `Internal error: the object was not validated: ${error.message}`;
    return [{ field: fieldName(''), reason: 'InternalError', message }];
  }
}

function problemsIn(
  object: unknown,
  previous: unknown,
  { schema, scaled, rules }: ObjectRules,
  work: Work,
): readonly FieldError[] {
  const correlation =
    previous === undefined ? undefined : new Correlation(object, previous, schema, work);
  const problems = [
    ...enumerationsFirst(validateBySchema(object, schema, '', { correlation, work })),
    ...scaled.flatMap((path) => scaleProblems(object, path)),
    ...embeddedResourceProblems(object, schema, '', work),
    ...newListProblems(object, previous, schema, work),
  ];
  if (rules === undefined) return problems;
  if (problems.some(({ reason }) => BLOCKING.has(reason))) return [...problems, UNCHECKED];
  return [...problems, ...rules(correlation)];
}

/**
 * The problems, with violated enumerations first. The order of fields in the API server's answers varies, but
 * violated enumerations have been observed to come first.
 */
function enumerationsFirst(problems: readonly FieldError[]): readonly FieldError[] {
  const isEnum = ({ reason }: FieldError): boolean => reason === 'FieldValueNotSupported';
  return [...problems.filter(isEnum), ...problems.filter((problem) => !isEnum(problem))];
}

/** The problems of lists. A list that had duplicates before may keep them. */
function newListProblems(
  object: unknown,
  previous: unknown,
  schema: StructuralSchema,
  work: Work,
): readonly FieldError[] {
  const found = listTypeProblems(object, schema, '', work);
  if (found.length === 0 || previous === undefined) return found;
  return listTypeProblems(previous, schema, '', work).length > 0 ? [] : found;
}

/** The largest number of replicas that the subresource `scale` can contain, because it is an int32. */
const MAX_REPLICAS = 2_147_483_647;

const GO_TYPES: Readonly<Record<string, string>> = {
  number: 'float64',
  string: 'string',
  boolean: 'bool',
};

/**
 * The problem of a value that the subresource `scale` cannot contain as its number of replicas. In this
 * problem, the API server writes the path with a leading dot.
 */
function scaleProblems(object: unknown, path: readonly string[]): readonly FieldError[] {
  const value = path.reduce<unknown>(
    (at, field) => (isMapping(at) ? at[field] : undefined),
    object,
  );
  const field = `.${path.join('.')}`;
  if (typeof value === 'number' ? !Number.isInteger(value) : (typeof value) in GO_TYPES) {
    const why = `${field} accessor error: ${value} is of the type ${GO_TYPES[typeof value]}, expected int64`;
    return [invalid(field, 0, why)];
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return [];
  if (value < 0) return [invalid(field, value, 'should be a non-negative integer')];
  if (value <= MAX_REPLICAS) return [];
  return [invalid(field, value, `should be less than or equal to ${MAX_REPLICAS}`)];
}
